// taking memory without end
// ends: limit memory cpu stack
const a = [];
for (;;) { try { a.push(new Uint8Array(1 << 20).fill(1)); } catch { } }
