// computing without end
// ends: limit cpu memory
return /^(a+)+$/.test('a'.repeat(64) + 'b');
