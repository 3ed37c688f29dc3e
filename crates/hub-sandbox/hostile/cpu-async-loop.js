// computing without end
// ends: limit cpu memory
for (;;) await null;
