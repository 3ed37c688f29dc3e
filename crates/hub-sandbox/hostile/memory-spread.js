// taking memory without end
// ends: limit memory cpu stack
const a = new Array(1e6).fill(1);
let b = [];
for (;;) b = [...b, ...a];
