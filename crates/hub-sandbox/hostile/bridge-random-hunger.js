// abuse of the bridge
// ends: safe
for (let i = 0; i < 100; i++) crypto.getRandomValues(new Uint8Array(65536));
return 1;
