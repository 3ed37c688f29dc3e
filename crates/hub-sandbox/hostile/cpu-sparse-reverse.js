// computing without end
// ends: limit cpu memory
const a = [];
a.length = 2 ** 32 - 1;
a.reverse();
