// taking memory without end
// ends: limit memory cpu stack threw
const a = [];
for (;;) a.push(1n << 10000000n);
