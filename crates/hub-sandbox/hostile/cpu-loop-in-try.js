// computing without end
// ends: limit cpu memory
for (;;) { try { for (;;); } catch { } finally { continue; } }
