// computing without end
// ends: limit cpu memory
try { return 1; } finally { for (;;); }
