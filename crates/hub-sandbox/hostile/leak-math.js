// traces for the next run
// ends: clean
Math.random = () => 0.5; Math.leak = 1;
return 1;
