// computing without end
// ends: limit cpu memory
const a = 'a'.repeat(1e6);
for (;;) a.indexOf('a'.repeat(5e5) + 'b');
