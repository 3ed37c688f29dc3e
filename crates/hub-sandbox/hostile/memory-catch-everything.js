// taking memory without end
// ends: limit memory cpu stack
const a = [];
const more = () => { for (;;) a.push(new Array(1e5).fill({})); };
for (;;) { try { more(); } catch { continue; } finally { continue; } }
