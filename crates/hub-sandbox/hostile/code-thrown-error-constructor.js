// code from text
// ends: blocked
const got = (() => { try { null.x; } catch (e) { return e.constructor.constructor('return 7')(); } })();
return got === undefined ? 'blocked' : 'ESCAPE ' + String(got);
