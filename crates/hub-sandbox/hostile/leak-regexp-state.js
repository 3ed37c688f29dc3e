// traces for the next run
// ends: clean
globalThis.re = /a/g; re.lastIndex = 5; 'xa'.match(/x(a)/); RegExp.leak = 1;
return 1;
