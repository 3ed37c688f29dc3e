// abuse of the bridge
// ends: safe
Object.prototype.n = 0;
Array.prototype.n = 0;
const a = demo.echo({ a: 1 }), b = demo.echo({ b: 1 });
return JSON.stringify([await a, await b]) === '[{"a":1},{"b":1}]';
