// taking memory without end
// ends: limit memory cpu stack
const o = {};
for (let i = 0;; i++) o['k' + i] = i;
