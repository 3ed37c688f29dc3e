// computing without end
// ends: limit cpu memory
const t = btoa('x'.repeat(1e5));
for (;;) atob(t);
