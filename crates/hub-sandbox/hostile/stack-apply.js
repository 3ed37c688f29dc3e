// recursing without end
// ends: limit stack memory cpu
const f = (...a) => f(...a, 1);
try { f(...new Array(10000)); } catch { return 'caught'; }
