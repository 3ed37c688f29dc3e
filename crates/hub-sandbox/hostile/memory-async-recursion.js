// taking memory without end
// ends: limit memory cpu stack
const f = async (n) => { await f(n + 1); };
await f(0);
