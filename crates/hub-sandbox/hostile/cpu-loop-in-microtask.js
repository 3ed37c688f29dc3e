// computing without end
// ends: limit cpu memory
queueMicrotask(() => { for (;;); });
await demo.list({});
