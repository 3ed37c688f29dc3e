// code from text
// ends: blocked
const got = hub.search.constructor('return 7')();
return got === undefined ? 'blocked' : 'ESCAPE ' + String(got);
