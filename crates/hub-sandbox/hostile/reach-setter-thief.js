// reaching the host
// ends: blocked
let thief;
for (const k of ['resolve', 'reject', 'callback', 'address', 'head', 'api', 'main', 'then', '0'])
  Object.defineProperty(Object.prototype, k, { set(v) { thief = v; }, configurable: true });
await demo.echo({}).catch(() => {});
setTimeout(() => {}, 1);
console.log('x', [1], new Map([[1, 2]]));
return thief !== undefined ? 'ESCAPE' : 'blocked';
