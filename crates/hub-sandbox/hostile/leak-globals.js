// traces for the next run
// ends: clean
globalThis.leak = 1;
return 1;
