// abuse of the bridge
// ends: limit stalled cpu
const f = () => setTimeout(f, 0);
f();
await new Promise(() => {});
