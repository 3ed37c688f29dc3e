// taking memory without end
// ends: limit memory cpu stack
const a = [];
for (;;) a.push(new Array(1000).fill(1));
