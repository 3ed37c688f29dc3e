// reaching the host
// ends: blocked
let s = '';
try { demo.nope(); } catch (e) { s += e.stack; }
await demo.fail({}).catch((e) => { s += e.stack; });
return /prelude|native|host|\.rs|\//.test(s) ? 'ESCAPE ' + s : 'blocked';
