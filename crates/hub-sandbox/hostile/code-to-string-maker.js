// code from text
// ends: blocked
const got = Function({ toString() { return 'return 7'; } })();
return got === undefined ? 'blocked' : 'ESCAPE ' + String(got);
