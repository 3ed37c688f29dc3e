// taking memory without end
// ends: limit memory cpu stack
let a = [1];
for (let i = 0; i < 30; i++) a = [a, a].flat(Infinity);
return a.length;
