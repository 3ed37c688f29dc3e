// code from text
// ends: blocked
const got = new Function('return 7')();
return got === undefined ? 'blocked' : 'ESCAPE ' + String(got);
