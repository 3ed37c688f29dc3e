// taking memory without end
// ends: limit memory cpu stack
return new RegExp('(?:a{0,1000}){0,1000}'.repeat(200)).source.length && new Array(1e9).fill(0);
