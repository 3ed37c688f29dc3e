// computing without end
// ends: limit cpu memory threw
let n = 7n ** 200000n;
for (let i = 0; i < 12; i++) n = n * n;
return n.toString().length;
