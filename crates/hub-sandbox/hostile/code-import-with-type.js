// dynamic import
// ends: blocked
const got = await import('/etc/hostname', { with: { type: 'json' } });
return got === undefined ? 'blocked' : 'ESCAPE ' + String(got);
