// dynamic import
// ends: blocked
const got = await import('std');
return got === undefined ? 'blocked' : 'ESCAPE ' + String(got);
