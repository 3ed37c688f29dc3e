// reaching the host
// ends: blocked
const odd = Object.getOwnPropertyNames(globalThis).filter((n) => /send|native|host|std|qjs|print|load|__/i.test(n));
return odd.length ? 'ESCAPE ' + odd : 'blocked';
