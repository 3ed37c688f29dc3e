// abuse of the bridge
// ends: safe
await demo.echo(JSON.parse('{"__proto__":{"a":1},"constructor":{"prototype":1}}'));
return ({}).a === undefined;
