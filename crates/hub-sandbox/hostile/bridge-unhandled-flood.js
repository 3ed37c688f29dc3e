// abuse of the bridge
// ends: safe
for (let i = 0; i < 1e4; i++) Promise.reject(i);
return 1;
