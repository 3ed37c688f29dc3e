// traces for the next run
// ends: clean
Uint8Array.prototype.leak = 1; Object.getPrototypeOf(Uint8Array).leak = 1;
return 1;
