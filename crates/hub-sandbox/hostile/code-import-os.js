// dynamic import
// ends: blocked
const got = await import('os');
return got === undefined ? 'blocked' : 'ESCAPE ' + String(got);
