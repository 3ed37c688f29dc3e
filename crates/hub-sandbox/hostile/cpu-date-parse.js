// computing without end
// ends: limit cpu memory
for (;;) Date.parse('2020-01-01T00:00:00Z' + ' '.repeat(1e5));
