// abuse of the bridge
// ends: limit stalled
await new Promise(() => {});
