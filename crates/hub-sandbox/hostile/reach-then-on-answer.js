// reaching the host
// ends: blocked
const r = await demo.echo({ then: 'x' });
return r.then === 'x' ? 'blocked' : 'ESCAPE';
