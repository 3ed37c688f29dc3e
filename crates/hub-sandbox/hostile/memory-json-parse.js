// taking memory without end
// ends: limit memory cpu stack
const t = '[' + '{"a":[1,2,3]},'.repeat(1e6) + '1]';
const all = [];
for (;;) all.push(JSON.parse(t));
