// traces for the next run
// ends: clean
Error.prototype.leak = 1; Error.prototype.toString = null;
return 1;
