// taking memory without end
// ends: limit memory cpu stack
const a = [];
for (let i = 0;; i++) a.push('x'.padEnd(5e6, String(i)));
