// abuse of the bridge
// ends: value 1
console.log('x'.repeat(5e6), { t: 'y'.repeat(5e6) }, new Array(1e6).fill('z'));
return 1;
