// reaching the host
// ends: blocked
Error.prepareStackTrace = (e, s) => s;
const s = new Error('x').stack;
return typeof s === 'string' ? 'blocked' : 'ESCAPE';
