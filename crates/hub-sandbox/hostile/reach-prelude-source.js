// reaching the host
// ends: blocked
const s = [demo.echo, hub.search, setTimeout, console.log, Date, crypto.randomUUID, ToolError].map(String).join();
return /native\.|uncurry|append\(/.test(s) ? 'ESCAPE ' + s : 'blocked';
