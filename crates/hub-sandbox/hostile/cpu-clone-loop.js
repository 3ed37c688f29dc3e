// computing without end
// ends: limit cpu memory
const big = Array.from({ length: 1e4 }, (_, i) => ({ i }));
for (;;) structuredClone(big);
