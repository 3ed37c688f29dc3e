// reaching the host
// ends: error
throw new Proxy(new Error('x'), { get() { throw new Error('trap'); }, getPrototypeOf() { throw 1; }, ownKeys() { throw 1; } });
