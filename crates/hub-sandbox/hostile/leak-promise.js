// traces for the next run
// ends: clean
Promise.prototype.then = null; Promise.leak = 1;
return 1;
