// abuse of the bridge
// ends: error
const x = {};
x.x = x;
await demo.echo(x);
