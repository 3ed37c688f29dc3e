// computing without end
// ends: limit cpu memory
await demo.echo({ get x() { for (;;); } });
