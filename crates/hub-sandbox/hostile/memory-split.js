// taking memory without end
// ends: limit memory cpu stack
const all = [];
for (let i = 0;; i++) all.push(('x' + i).repeat(1e6).split(''));
