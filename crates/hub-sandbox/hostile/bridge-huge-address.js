// abuse of the bridge
// ends: error
await demo['x'.repeat(1e6)]({});
