// code from text
// ends: blocked
const got = (() => {}).\u0063onstructor('return 7')();
return got === undefined ? 'blocked' : 'ESCAPE ' + String(got);
