// recursing without end
// ends: limit stack memory cpu
class A { get x() { return this.x; } }
try { new A().x; } catch { return 'caught'; }
