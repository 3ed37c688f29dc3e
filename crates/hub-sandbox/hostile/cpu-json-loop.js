// computing without end
// ends: limit cpu memory
const t = JSON.stringify(Array.from({ length: 1e5 }, (_, i) => i));
for (;;) JSON.parse(t);
