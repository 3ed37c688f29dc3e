// recursing without end
// ends: limit stack memory cpu
let p = {};
for (let i = 0; i < 1e5; i++) p = new Proxy(p, {});
try { return String(p.x); } catch { return 'caught'; }
