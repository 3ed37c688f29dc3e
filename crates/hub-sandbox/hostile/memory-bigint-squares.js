// taking memory without end
// ends: limit memory cpu stack threw
let n = 7n;
for (;;) n = n * n;
