// taking memory without end
// ends: limit memory cpu stack
let a = [1];
for (;;) a = a.concat(a);
