// taking memory without end
// ends: limit memory cpu stack
let a = { x: 'y' };
for (;;) a = { l: structuredClone(a), r: structuredClone(a) };
