// recursing without end
// ends: limit stack memory cpu
function* g() { yield* g(); }
try { g().next(); } catch { return 'caught'; }
