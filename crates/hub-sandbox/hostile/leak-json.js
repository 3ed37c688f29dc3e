// traces for the next run
// ends: clean
JSON.parse = JSON.stringify = () => 'leak';
return 1;
