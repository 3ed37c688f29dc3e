// taking memory without end
// ends: limit memory cpu stack threw
let s = 'x';
for (;;) s += s + s.length;
