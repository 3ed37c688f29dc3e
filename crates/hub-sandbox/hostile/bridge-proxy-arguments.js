// abuse of the bridge
// ends: safe
await demo.echo(new Proxy({}, { ownKeys: () => ['a'], getOwnPropertyDescriptor: () => ({ value: 1, enumerable: true, configurable: true }), get: () => 1 }));
return 1;
