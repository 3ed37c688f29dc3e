// the function around the program
// ends: blocked
let got;
try { got = (function () { return arguments.callee.caller; })(); } catch { return 'blocked'; }
return got ? 'ESCAPE' : 'blocked';
