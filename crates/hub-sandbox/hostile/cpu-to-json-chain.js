// computing without end
// ends: limit cpu memory
const make = () => ({ a: 1, toJSON: make, get b() { return make(); }, get c() { return make(); } });
return make();
