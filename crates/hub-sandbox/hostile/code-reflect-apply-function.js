// code from text
// ends: blocked
const got = Reflect.apply(Function, undefined, ['return 7'])();
return got === undefined ? 'blocked' : 'ESCAPE ' + String(got);
