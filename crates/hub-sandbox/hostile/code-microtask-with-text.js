// code from text
// ends: blocked
const got = queueMicrotask('globalThis.x = 1');
return got === undefined ? 'blocked' : 'ESCAPE ' + String(got);
