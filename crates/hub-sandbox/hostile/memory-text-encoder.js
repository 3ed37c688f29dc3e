// taking memory without end
// ends: limit memory cpu stack
const a = [];
for (;;) a.push(new TextEncoder().encode('x'.repeat(1e6)));
