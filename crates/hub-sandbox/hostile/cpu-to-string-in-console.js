// computing without end
// ends: limit cpu memory
console.log({ get x() { return 1; } }, `${{ toString() { for (;;); } }}`);
