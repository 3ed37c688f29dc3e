// dynamic import
// ends: blocked
const got = await ((m) => import(m))('qjs:std');
return got === undefined ? 'blocked' : 'ESCAPE ' + String(got);
