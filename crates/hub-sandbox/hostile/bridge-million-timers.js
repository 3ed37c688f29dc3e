// abuse of the bridge
// ends: safe
let n = 0;
for (let i = 0; i < 1e6; i++) { try { setTimeout(() => {}, 1); } catch { n++; } }
return n > 0;
