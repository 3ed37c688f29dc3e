// taking memory without end
// ends: limit memory cpu stack
for (;;) Promise.reject(new Error('x'));
