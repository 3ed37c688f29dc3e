// reaching the host
// ends: blocked
let seen = 0;
JSON.parse = JSON.stringify = () => { seen++; };
await demo.echo({ a: 1 });
void other.echo;
return seen ? 'ESCAPE' : 'blocked';
