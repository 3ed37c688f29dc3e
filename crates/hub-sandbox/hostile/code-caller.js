// the caller of a callback from the host
// ends: blocked
const seen = [];
function f() { try { seen.push(f.caller); } catch { seen.push(null); } }
await new Promise((r) => setTimeout(() => { f(); r(); }, 1));
return seen[0] ? 'ESCAPE' : 'blocked';
