// code from text
// ends: blocked
const got = demo.echo.constructor('return 7')();
return got === undefined ? 'blocked' : 'ESCAPE ' + String(got);
