// abuse of the bridge
// ends: safe
await demo.echo({ ['k'.repeat(1e6)]: 1 });
return { ['k'.repeat(1e6)]: NaN };
