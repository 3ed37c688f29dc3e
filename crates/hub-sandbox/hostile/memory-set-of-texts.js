// taking memory without end
// ends: limit memory cpu stack
const s = new Set();
for (let i = 0;; i++) s.add('text number ' + i);
