// code from text
// ends: blocked
const got = console.log.constructor('return 7')();
return got === undefined ? 'blocked' : 'ESCAPE ' + String(got);
