// computing without end
// ends: limit cpu memory
const t = { then(r) { r(t); } };
await t;
