// reaching the host
// ends: blocked
Error.stackTraceLimit = 1e9;
return new Error('x').stack.length < 5000 ? 'blocked' : 'ESCAPE';
