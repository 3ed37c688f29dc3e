// recursing without end
// ends: limit stack memory cpu
const o = { toString() { return '' + o; } };
try { '' + o; } catch { return 'caught'; }
