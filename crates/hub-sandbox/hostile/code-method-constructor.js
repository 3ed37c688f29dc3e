// code from text
// ends: blocked
const got = ({ m() {} }).m.constructor('return 7')();
return got === undefined ? 'blocked' : 'ESCAPE ' + String(got);
