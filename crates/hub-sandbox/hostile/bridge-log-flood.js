// abuse of the bridge
// ends: value 1
for (let i = 0; i < 2e4; i++) console.log('x'.repeat(1000));
return 1;
