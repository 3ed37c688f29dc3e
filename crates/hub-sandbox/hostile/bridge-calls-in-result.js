// abuse of the bridge
// ends: value {"a":1}
return { get a() { demo.echo({ late: 1 }).catch(() => {}); return 1; } };
