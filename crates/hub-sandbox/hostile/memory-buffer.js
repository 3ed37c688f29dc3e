// taking memory without end
// ends: limit memory cpu stack
return new ArrayBuffer(1 << 30).byteLength;
