// dynamic import
// ends: blocked
const got = await (async () => import('bjson'))();
return got === undefined ? 'blocked' : 'ESCAPE ' + String(got);
