// taking memory without end
// ends: limit memory cpu stack
return 'x'.repeat(9e7) + 'y'.repeat(4e7);
