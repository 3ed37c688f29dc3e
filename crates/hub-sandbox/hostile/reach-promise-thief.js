// reaching the host
// ends: blocked
let thief;
const P = Promise;
globalThis.Promise = class extends P { constructor(f) { super((a, b) => { thief = f; f(a, b); }); } };
await demo.echo({});
return thief ? 'ESCAPE' : 'blocked';
