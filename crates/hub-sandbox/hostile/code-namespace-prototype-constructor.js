// code from text
// ends: blocked
const got = Object.getPrototypeOf(demo).constructor.constructor('return 7')();
return got === undefined ? 'blocked' : 'ESCAPE ' + String(got);
