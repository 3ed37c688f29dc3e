// taking memory without end
// ends: limit memory cpu stack
let s = 'aaaaaaaaaa';
for (;;) s = s.replace(/a/g, 'aa');
