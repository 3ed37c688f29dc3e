// reaching the host
// ends: blocked
const found = [];
for (const o of [globalThis, demo, hub, console, ToolError, Date, crypto]) for (const s of Object.getOwnPropertySymbols(o)) found.push(String(s));
return found.every((s) => s === 'Symbol(Symbol.toStringTag)') ? 'blocked' : 'ESCAPE ' + found;
