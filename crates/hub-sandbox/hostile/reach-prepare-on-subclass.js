// reaching the host
// ends: blocked
class E extends Error { static prepareStackTrace(e, s) { return s; } }
return typeof new E('x').stack === 'string' ? 'blocked' : 'ESCAPE';
