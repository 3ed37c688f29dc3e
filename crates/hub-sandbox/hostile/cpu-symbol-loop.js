// computing without end
// ends: limit cpu memory
for (let i = 0;; i++) Symbol('x' + (i % 10));
