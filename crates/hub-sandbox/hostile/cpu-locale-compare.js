// computing without end
// ends: limit cpu memory
const a = 'ä'.repeat(1e5);
for (;;) a.localeCompare(a + 'b');
