// abuse of the bridge
// ends: value true
const p = demo.echo({ a: 1 });
const [x, y] = [await p, await p];
return x === y;
