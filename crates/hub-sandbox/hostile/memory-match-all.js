// taking memory without end
// ends: limit memory cpu stack
return [...'a'.repeat(1e7).matchAll(/a/g)].length;
