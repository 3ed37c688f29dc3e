// traces for the next run
// ends: clean
Symbol.for('leak').description; Object.prototype[Symbol.for('leak')] = 1;
return 1;
