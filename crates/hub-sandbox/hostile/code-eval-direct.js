// code from text
// ends: blocked
const got = eval('7');
return got === undefined ? 'blocked' : 'ESCAPE ' + String(got);
