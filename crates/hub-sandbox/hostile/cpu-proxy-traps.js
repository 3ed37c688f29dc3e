// computing without end
// ends: limit cpu memory
const p = new Proxy({}, { ownKeys() { for (;;); } });
Object.keys(p);
