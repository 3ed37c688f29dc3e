// taking memory without end
// ends: limit memory cpu stack
const a = [];
for (;;) a.push(new Error('x'.repeat(1000)));
