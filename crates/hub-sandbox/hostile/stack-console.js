// printing something deep
// ends: safe
let x = {};
for (let i = 0; i < 1e5; i++) x = { x };
console.log(x);
return 1;
