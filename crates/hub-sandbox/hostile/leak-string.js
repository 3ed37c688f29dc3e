// traces for the next run
// ends: clean
String.prototype.leak = 1; String.prototype.replace = null;
return 1;
