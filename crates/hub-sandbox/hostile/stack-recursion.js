// recursing without end
// ends: limit stack memory cpu
const f = () => f() + 1;
try { f(); } catch { return 'caught'; }
