// computing without end
// ends: limit cpu memory
await demo.list({});
for (;;);
