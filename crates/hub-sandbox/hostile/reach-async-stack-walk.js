// reaching the host
// ends: blocked
let out = '';
const o = { get message() { out = new Error('w').stack; return 'm'; } };
await demo.echo({ o });
return /prelude|describe/.test(out) ? 'ESCAPE ' + out : 'blocked';
