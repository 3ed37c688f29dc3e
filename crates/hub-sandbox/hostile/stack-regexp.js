// a deeply nested pattern
// ends: safe
try { new RegExp('('.repeat(1e5) + ')'.repeat(1e5)); } catch (e) { return e.name; }
return 'made';
