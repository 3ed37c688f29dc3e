// taking memory without end
// ends: limit memory cpu stack
const a = [];
for (;;) a.push(1n << 10000000n);
