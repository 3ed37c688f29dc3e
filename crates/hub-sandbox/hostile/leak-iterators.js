// traces for the next run
// ends: clean
Object.getPrototypeOf([][Symbol.iterator]()).next = null;
return 1;
