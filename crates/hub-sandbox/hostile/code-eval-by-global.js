// code from text
// ends: blocked
const got = globalThis['ev' + 'al']('7');
return got === undefined ? 'blocked' : 'ESCAPE ' + String(got);
