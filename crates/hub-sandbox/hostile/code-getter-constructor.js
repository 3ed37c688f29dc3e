// code from text
// ends: blocked
const got = Object.getOwnPropertyDescriptor({ get x() { return 1; } }, 'x').get.constructor('return 7')();
return got === undefined ? 'blocked' : 'ESCAPE ' + String(got);
