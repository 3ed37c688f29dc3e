// code from text
// ends: blocked
const got = (() => {})['con' + 'structor']('return 7')();
return got === undefined ? 'blocked' : 'ESCAPE ' + String(got);
