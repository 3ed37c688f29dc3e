// abuse of the bridge
// ends: safe
let n = 0;
await demo.echo({ get x() { if (n++ < 50) demo.echo({}); return 1; } });
return n;
