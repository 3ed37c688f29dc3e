// dynamic import
// ends: blocked
const got = await import('./x.js');
return got === undefined ? 'blocked' : 'ESCAPE ' + String(got);
