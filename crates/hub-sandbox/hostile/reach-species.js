// reaching the host
// ends: blocked
let thief;
class Sneaky { static get [Symbol.species]() { return function (f) { thief = f; f(() => {}, () => {}); }; } }
Promise.prototype.constructor = Sneaky;
await demo.echo({});
return thief && /native\.|settle|waiting/.test(String(thief)) ? 'ESCAPE' : 'blocked';
