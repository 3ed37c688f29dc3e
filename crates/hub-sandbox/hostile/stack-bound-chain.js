// recursing without end
// ends: limit stack memory cpu
let f = () => 1;
for (let i = 0; i < 1e5; i++) f = f.bind();
try { return f(); } catch { return 'caught'; }
