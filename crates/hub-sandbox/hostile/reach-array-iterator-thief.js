// reaching the host
// ends: blocked
let thief;
Array.prototype[Symbol.iterator] = function () { thief = this; return { next: () => ({ done: true }) }; };
console.log('a', 'b');
demo.echo({});
setTimeout(() => {}, 1, 2, 3);
return thief ? 'ESCAPE' : 'blocked';
