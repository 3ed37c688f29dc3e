// recursing without end
// ends: limit stack memory cpu
const f = () => [1, 2].sort(f);
try { f(); } catch { return 'caught'; }
