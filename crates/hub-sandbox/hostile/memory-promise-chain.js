// taking memory without end
// ends: limit memory cpu stack
for (;;) Promise.resolve().then(() => {});
