// code from text
// ends: blocked
const got = setTimeout('globalThis.x = 1', 0);
return got === undefined ? 'blocked' : 'ESCAPE ' + String(got);
