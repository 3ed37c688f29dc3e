// reaching the host
// ends: blocked
let thief;
Object.defineProperty(Object.prototype, 'send', { get() { thief = this; return undefined; }, configurable: true });
console.log('x');
await demo.echo({});
return thief ? 'ESCAPE' : 'blocked';
