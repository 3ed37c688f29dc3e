// abuse of the bridge
// ends: error
await demo.echo(new Proxy({}, { ownKeys() { throw new Error('x'); } }));
