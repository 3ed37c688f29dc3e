// computing without end
// ends: limit cpu memory
const m = new WeakMap();
for (;;) m.set({}, 1);
