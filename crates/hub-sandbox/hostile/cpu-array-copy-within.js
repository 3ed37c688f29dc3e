// computing without end
// ends: limit cpu memory
const a = new Uint8Array(5e7);
for (;;) a.copyWithin(1, 0);
