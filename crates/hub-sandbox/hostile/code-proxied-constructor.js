// code from text
// ends: blocked
const got = new Proxy(() => {}, {}).constructor('return 7')();
return got === undefined ? 'blocked' : 'ESCAPE ' + String(got);
