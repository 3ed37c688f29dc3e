// computing without end
// ends: limit cpu memory
return /^(?=(a+))a*b\1$/.test('a'.repeat(40) + 'c'.repeat(40)) || /(x+x+)+y/.test('x'.repeat(60));
