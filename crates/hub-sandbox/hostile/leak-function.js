// traces for the next run
// ends: clean
Function.prototype.leak = 1; Function.prototype.call = null;
return 1;
