// computing without end
// ends: limit cpu memory
return 'a'.repeat(5e4).replace(/(a*)*$/g, 'x').length && /(.*)*=.*;/.test('a'.repeat(60));
