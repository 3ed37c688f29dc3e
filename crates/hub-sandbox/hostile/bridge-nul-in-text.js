// abuse of the bridge
// ends: value "a\u0000b"
return (await demo.echo({ t: 'a\0b' })).t;
