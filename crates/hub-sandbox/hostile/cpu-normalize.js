// computing without end
// ends: limit cpu memory
for (;;) '\u0344'.repeat(1e6).normalize('NFD');
