// abuse of the bridge
// ends: safe
await demo.echo({}, { connection: 'x'.repeat(1e6) });
return 1;
