// computing without end
// ends: limit cpu memory
const make = () => new Proxy({}, { ownKeys: () => ['a', 'b', 'c'], getOwnPropertyDescriptor: () => ({ value: 1, enumerable: true, configurable: true }), get: (t, k) => k === 'toJSON' ? undefined : make() });
return make();
