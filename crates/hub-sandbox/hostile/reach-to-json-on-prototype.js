// reaching the host
// ends: blocked
Object.prototype.toJSON = function () { return 'spoilt'; };
let caught;
try { await demo.fail({}); } catch (e) { caught = e.code; }
return caught === 'tool_failed' ? 'blocked' : 'ESCAPE';
