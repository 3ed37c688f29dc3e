// code from text
// ends: blocked
const got = (await demo.list({})).constructor.constructor('return 7')();
return got === undefined ? 'blocked' : 'ESCAPE ' + String(got);
