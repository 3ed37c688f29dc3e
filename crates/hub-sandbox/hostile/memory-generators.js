// taking memory without end
// ends: limit memory cpu stack
const a = [];
function* g() { yield 1; }
for (;;) { const x = g(); x.next(); a.push(x); }
