// recursing without end
// ends: limit stack memory cpu
const f = () => 'a'.replace(/a/, f);
try { f(); } catch { return 'caught'; }
