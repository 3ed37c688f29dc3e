// computing without end
// ends: limit cpu memory
const f = () => Promise.resolve().then(f);
await f();
