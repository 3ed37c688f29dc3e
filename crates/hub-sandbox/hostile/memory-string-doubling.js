// taking memory without end
// ends: limit memory cpu stack
let s = 'x';
for (;;) s += s + s.length;
