// code from text
// ends: blocked
const got = (function* () {}).constructor('yield 7')().next().value;
return got === undefined ? 'blocked' : 'ESCAPE ' + String(got);
