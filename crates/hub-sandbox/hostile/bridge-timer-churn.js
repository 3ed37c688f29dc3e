// abuse of the bridge
// ends: safe
let n = 0;
for (let i = 0; i < 1e5; i++) { try { clearTimeout(setTimeout(() => {}, 1)); } catch { n++; } }
return n > 0;
