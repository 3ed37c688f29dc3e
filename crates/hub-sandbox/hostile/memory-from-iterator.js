// taking memory without end
// ends: limit memory cpu stack
return Array.from((function* () { for (;;) yield 'x'; })()).length;
