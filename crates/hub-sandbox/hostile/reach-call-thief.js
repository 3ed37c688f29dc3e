// reaching the host
// ends: blocked
let thief;
Function.prototype.call = function (...a) { thief = a; };
Function.prototype.apply = function (...a) { thief = a; };
Function.prototype.bind = function (...a) { thief = a; };
console.log('x');
await demo.echo({});
structuredClone([1]);
return thief ? 'ESCAPE' : 'blocked';
