// abuse of the bridge
// ends: safe
await demo.echo({}, { connection: 'a\nb\u0000c' });
return 1;
