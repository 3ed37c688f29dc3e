// traces for the next run
// ends: clean
Date.now = () => 5; Date.leak = 1;
return 1;
