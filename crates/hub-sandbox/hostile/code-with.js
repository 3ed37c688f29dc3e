// with over a proxy
// ends: syntax
with (new Proxy({}, { has: () => true, get: () => 1 })) { return x; }
