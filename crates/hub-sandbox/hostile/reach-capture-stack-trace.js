// reaching the host
// ends: blocked
return typeof Error.captureStackTrace === 'function' ? 'ESCAPE' : 'blocked';
