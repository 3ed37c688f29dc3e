// computing without end
// ends: limit cpu memory
return Array.prototype.indexOf.call({ length: 2 ** 53 - 1 }, 1);
