// computing without end
// ends: limit cpu memory
const t = '\u20ac'.repeat(1e5);
for (;;) decodeURIComponent(encodeURIComponent(t));
