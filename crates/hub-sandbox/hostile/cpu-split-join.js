// computing without end
// ends: limit cpu memory
let s = 'ab'.repeat(1e5);
for (;;) s = s.split('').reverse().join('');
