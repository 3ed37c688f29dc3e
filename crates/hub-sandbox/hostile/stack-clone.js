// cloning something deep
// ends: safe
let x = {};
for (let i = 0; i < 1e5; i++) x = { x };
try { structuredClone(x); } catch (e) { return e.name; }
