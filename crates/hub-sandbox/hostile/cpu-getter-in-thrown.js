// computing without end
// ends: limit cpu memory
throw { get message() { for (;;); } };
