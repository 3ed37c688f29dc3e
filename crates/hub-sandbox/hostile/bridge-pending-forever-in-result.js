// abuse of the bridge
// ends: safe
return { p: new Promise(() => {}), q: [new Promise(() => {})] };
