// computing without end
// ends: limit cpu memory
return new Array(4e9);
