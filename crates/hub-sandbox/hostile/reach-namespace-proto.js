// reaching the host
// ends: blocked
try { Object.setPrototypeOf(demo, { evil: 1 }); } catch { }
try { Object.getPrototypeOf(demo).evil = 1; } catch { }
return demo.evil || ({}).evil ? 'ESCAPE' : 'blocked';
