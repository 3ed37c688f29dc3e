// computing without end
// ends: limit cpu memory
for (;;) (3n ** 300000n).toString();
