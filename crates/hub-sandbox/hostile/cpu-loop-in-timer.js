// computing without end
// ends: limit cpu memory
setTimeout(() => { for (;;); }, 1);
await new Promise(() => {});
