// computing without end
// ends: limit cpu memory
for (;;) { try { null.x; } catch { } }
