// computing without end
// ends: limit cpu memory
[3, 1, 2].sort(() => { for (;;); });
