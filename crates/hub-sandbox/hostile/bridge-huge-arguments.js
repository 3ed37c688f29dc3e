// abuse of the bridge
// ends: error
await demo.echo({ t: 'x'.repeat(9 << 20) });
