// recursing without end
// ends: limit stack memory cpu
let x = [];
for (let i = 0; i < 1e6; i++) x = [x];
try { JSON.stringify(x); } catch { return 'caught'; }
