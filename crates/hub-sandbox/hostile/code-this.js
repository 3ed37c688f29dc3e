// what this is
// ends: value true
return this === globalThis || this === undefined;
