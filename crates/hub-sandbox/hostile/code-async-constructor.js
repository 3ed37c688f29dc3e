// code from text
// ends: blocked
const got = await (async () => {}).constructor('return 7')();
return got === undefined ? 'blocked' : 'ESCAPE ' + String(got);
