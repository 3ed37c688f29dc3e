// computing without end
// ends: limit cpu memory
return { get x() { for (;;); } };
