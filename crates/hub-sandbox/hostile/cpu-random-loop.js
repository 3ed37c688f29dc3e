// computing without end
// ends: limit cpu memory
for (;;) crypto.getRandomValues(new Uint8Array(65536));
