// abuse of the bridge
// ends: error
await demo.echo({ t: '\ud800' });
