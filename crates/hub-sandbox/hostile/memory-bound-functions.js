// taking memory without end
// ends: limit memory cpu stack
let f = () => {};
for (;;) f = f.bind(null, f);
