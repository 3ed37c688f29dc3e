// computing without end
// ends: limit cpu memory
const a = [1];
a.length = 2 ** 32 - 1;
a.sort();
