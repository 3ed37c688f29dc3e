// recursing without end
// ends: limit stack memory cpu
class A { constructor() { new A(); } }
try { new A(); } catch { return 'caught'; }
