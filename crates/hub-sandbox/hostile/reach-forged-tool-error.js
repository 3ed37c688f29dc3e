// reaching the host
// ends: error
const e = new ToolError('x', { code: 'denied', address: 'demo.echo' });
Object.setPrototypeOf(e, null);
throw e;
