// taking memory without end
// ends: limit memory cpu stack
return new Array(3e7).join('xxxxxxxxxx').length;
