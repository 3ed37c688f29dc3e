// computing without end
// ends: limit cpu memory
return { toJSON() { for (;;); } };
