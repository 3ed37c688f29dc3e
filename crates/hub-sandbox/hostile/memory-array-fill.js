// taking memory without end
// ends: limit memory cpu stack
return new Array(2 ** 27).fill(1).length;
