// returning something deep
// ends: safe
let x = {};
for (let i = 0; i < 1e5; i++) x = { x };
return x;
