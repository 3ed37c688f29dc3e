// code from text
// ends: blocked
const got = (await demo.list({})).items.map.constructor('return 7')();
return got === undefined ? 'blocked' : 'ESCAPE ' + String(got);
