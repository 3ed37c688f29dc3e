// taking memory without end
// ends: limit memory cpu stack
const a = [];
for (;;) a.push(new Uint8Array(1 << 20));
