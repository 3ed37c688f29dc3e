// traces for the next run
// ends: clean
Object.prototype.leak = 1;
return 1;
