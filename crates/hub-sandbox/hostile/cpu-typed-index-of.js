// computing without end
// ends: limit cpu memory
for (;;) new Uint8Array(5e7).indexOf(1);
