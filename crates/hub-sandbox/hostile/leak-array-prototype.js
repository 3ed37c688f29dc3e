// traces for the next run
// ends: clean
Array.prototype.map = null; Array.prototype.leak = 1;
return 1;
