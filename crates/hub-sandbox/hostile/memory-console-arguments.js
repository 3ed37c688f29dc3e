// taking memory without end
// ends: limit memory cpu stack
const a = [];
for (;;) { a.push('x'.repeat(1e6) + a.length); console.log(a); }
