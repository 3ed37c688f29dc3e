// computing without end
// ends: limit cpu memory
try { throw 1; } catch { for (;;); }
