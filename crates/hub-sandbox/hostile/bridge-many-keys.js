// abuse of the bridge
// ends: safe
const o = {};
for (let i = 0; i < 1e5; i++) o['k' + i] = i;
await demo.echo(o);
return Object.keys(o).length;
