// computing without end
// ends: limit cpu memory
for (;;) new Float64Array(3e6).map((_, i) => Math.sin(i)).sort();
