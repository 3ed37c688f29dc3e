// computing without end
// ends: limit cpu memory threw
const a = 1n << 4000000n, b = (1n << 2000000n) - 1n;
for (;;) a % b;
