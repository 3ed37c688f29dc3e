// computing without end
// ends: limit cpu memory
while (true) {}
