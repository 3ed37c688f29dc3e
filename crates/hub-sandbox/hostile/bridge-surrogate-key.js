// abuse of the bridge
// ends: safe
await demo.echo({ ['\ud800']: 1 }).catch(() => {});
return { ['\udc00']: '\ud800' };
