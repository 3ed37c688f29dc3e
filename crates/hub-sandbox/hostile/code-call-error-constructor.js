// code from text
// ends: blocked
const got = await demo.fail({}).catch((e) => e.constructor.constructor('return 7')());
return got === undefined ? 'blocked' : 'ESCAPE ' + String(got);
