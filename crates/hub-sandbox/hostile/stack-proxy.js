// recursing without end
// ends: limit stack memory cpu
const p = new Proxy({}, { get(t, k, r) { return r[k]; } });
try { p.x; } catch { return 'caught'; }
