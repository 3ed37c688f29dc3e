// code from text
// ends: blocked
const got = (() => { Object.defineProperty(Function.prototype, 'constructor', { value: null }); return 1; })();
return got === undefined ? 'blocked' : 'ESCAPE ' + String(got);
