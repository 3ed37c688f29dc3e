// deep flattening
// ends: limit stack memory cpu or value
let x = [];
for (let i = 0; i < 1e6; i++) x = [x];
return x.flat(Infinity).length;
