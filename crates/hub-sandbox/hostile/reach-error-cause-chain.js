// reaching the host
// ends: blocked
const e = await demo.fail({}).catch((x) => x);
for (let o = e, i = 0; o && i < 20; o = Object.getPrototypeOf(o), i++) for (const k of Reflect.ownKeys(o)) { if (/native|send|api/.test(String(k))) return 'ESCAPE'; }
return 'blocked';
