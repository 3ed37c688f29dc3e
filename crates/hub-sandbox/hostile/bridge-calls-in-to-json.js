// abuse of the bridge
// ends: safe
let n = 0;
await demo.echo({ toJSON() { if (n++ < 100) demo.echo({ toJSON: this.toJSON }); return {}; } });
return n;
