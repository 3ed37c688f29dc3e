// recursing without end
// ends: limit stack memory cpu
class A { static [Symbol.hasInstance](x) { return x instanceof A; } }
try { ({}) instanceof A; } catch { return 'caught'; }
