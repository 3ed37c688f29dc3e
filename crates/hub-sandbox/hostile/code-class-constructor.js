// code from text
// ends: blocked
const got = (class {}).constructor('return 7')();
return got === undefined ? 'blocked' : 'ESCAPE ' + String(got);
