// computing without end
// ends: limit cpu memory
return new Array(2 ** 32 - 1).indexOf(1);
