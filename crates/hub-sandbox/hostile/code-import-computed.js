// dynamic import
// ends: blocked
const got = await import(['o', 's'].join(''));
return got === undefined ? 'blocked' : 'ESCAPE ' + String(got);
