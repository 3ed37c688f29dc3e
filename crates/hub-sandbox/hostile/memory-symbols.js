// taking memory without end
// ends: limit memory cpu stack
const a = [];
for (let i = 0;; i++) a.push(Symbol.for('s' + i));
