// abuse of the bridge
// ends: value "done"
setTimeout(() => demo.echo({ late: 1 }), 10);
return 'done';
