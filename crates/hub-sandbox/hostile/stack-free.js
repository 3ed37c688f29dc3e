// a long chain to free
// ends: safe
let o = null;
for (let i = 0; i < 5e5; i++) o = { o };
o = null;
return 1;
