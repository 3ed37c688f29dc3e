// dynamic import
// ends: blocked
const got = await import({ toString() { return 'os'; } });
return got === undefined ? 'blocked' : 'ESCAPE ' + String(got);
