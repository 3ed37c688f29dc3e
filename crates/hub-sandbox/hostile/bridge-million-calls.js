// abuse of the bridge
// ends: safe
const all = [];
for (let i = 0; i < 1e6; i++) all.push(demo.echo({ i }).catch((e) => e.code));
return (await all[all.length - 1]) === 'limit_calls';
