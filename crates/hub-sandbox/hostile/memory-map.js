// taking memory without end
// ends: limit memory cpu stack
const m = new Map();
for (let i = 0;; i++) m.set(i, i);
