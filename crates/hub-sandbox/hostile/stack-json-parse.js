// recursing without end
// ends: limit stack memory cpu
try { JSON.parse('['.repeat(1e6)); } catch { return 'caught'; }
