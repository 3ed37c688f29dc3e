// reaching the host
// ends: blocked
try { hub.search = 1; } catch { try { globalThis.hub = 1; } catch { return 'blocked'; } }
return 'ESCAPE';
