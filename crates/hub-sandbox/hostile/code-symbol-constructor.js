// code from text
// ends: blocked
const got = Symbol.iterator.constructor.constructor('return 7')();
return got === undefined ? 'blocked' : 'ESCAPE ' + String(got);
