// code from text
// ends: blocked
const got = Function('return globalThis')();
return got === undefined ? 'blocked' : 'ESCAPE ' + String(got);
