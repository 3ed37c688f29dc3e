// abuse of the bridge
// ends: safe
const t = 'x'.repeat(4 << 20);
const r = [];
for (let i = 0; i < 50; i++) r.push(demo.echo({ t }).catch((e) => e.code));
return (await r[49]);
