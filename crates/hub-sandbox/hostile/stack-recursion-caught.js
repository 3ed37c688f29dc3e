// recursing without end
// ends: limit stack memory cpu
const f = () => { try { f(); } catch { f(); } };
f();
