// abuse of the bridge
// ends: value 1
console.log({ get x() { throw 1; } }, new Proxy({}, { get() { throw 1; } }), { [Symbol.toStringTag]: 'x' });
console.table(new Proxy([], {}));
return 1;
