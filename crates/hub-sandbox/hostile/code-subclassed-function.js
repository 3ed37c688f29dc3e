// code from text
// ends: blocked
const got = new (class extends Function {})('return 7')();
return got === undefined ? 'blocked' : 'ESCAPE ' + String(got);
