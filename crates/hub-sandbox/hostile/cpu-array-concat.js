// computing without end
// ends: limit cpu memory
const a = new Array(1e5).fill(0);
for (;;) a.concat(a, a, a);
