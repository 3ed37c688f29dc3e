// dynamic import
// ends: blocked
const got = await import('data:text/javascript,export default 7');
return got === undefined ? 'blocked' : 'ESCAPE ' + String(got);
