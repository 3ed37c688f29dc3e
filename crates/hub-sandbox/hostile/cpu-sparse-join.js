// computing without end
// ends: limit cpu memory
return (new Array(1_000_000_000) + '').length;
