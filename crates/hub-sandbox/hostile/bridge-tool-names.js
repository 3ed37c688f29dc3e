// abuse of the bridge
// ends: safe
const names = Object.keys(demo);
for (const n of names) await demo[n]({}).catch(() => {});
return names.length;
