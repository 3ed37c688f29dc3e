// code from text
// ends: blocked
const got = Object.getPrototypeOf(Object.getPrototypeOf(async function* () {})).constructor('return 7')();
return got === undefined ? 'blocked' : 'ESCAPE ' + String(got);
