// taking memory without end
// ends: limit memory cpu stack
let o = null;
for (;;) o = { o, a: 1, b: 2, c: 3 };
