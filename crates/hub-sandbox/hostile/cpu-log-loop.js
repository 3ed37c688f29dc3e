// computing without end
// ends: limit cpu memory
for (;;) console.log('x'.repeat(1000));
