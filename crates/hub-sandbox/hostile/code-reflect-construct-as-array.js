// code from text
// ends: blocked
const got = Reflect.construct(Function, ['return 7'], Array)();
return got === undefined ? 'blocked' : 'ESCAPE ' + String(got);
