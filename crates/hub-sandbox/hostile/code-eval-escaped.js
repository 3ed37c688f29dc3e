// code from text
// ends: blocked
const got = \u0065val('7');
return got === undefined ? 'blocked' : 'ESCAPE ' + String(got);
