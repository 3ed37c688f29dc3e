// passing something deep
// ends: error
let x = {};
for (let i = 0; i < 1e5; i++) x = { x };
await demo.echo(x);
