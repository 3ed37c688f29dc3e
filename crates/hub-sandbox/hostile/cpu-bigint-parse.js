// computing without end
// ends: limit cpu memory
for (;;) BigInt('9'.repeat(200000));
