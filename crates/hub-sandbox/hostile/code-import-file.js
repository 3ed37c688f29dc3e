// dynamic import
// ends: blocked
const got = await import('/etc/passwd');
return got === undefined ? 'blocked' : 'ESCAPE ' + String(got);
