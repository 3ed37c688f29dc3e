// abuse of the bridge
// ends: safe
let n = 0;
for (let i = 0; i < 1e5; i++) hub.search('x').catch(() => n++);
await demo.list({}).catch(() => {});
return n > 0;
