// What the host calls. Nothing here is reachable from the program.

// Gone, not merely unable: these would let a program see memory being collected, or make code.
for (const name of [
  'WeakRef', 'FinalizationRegistry', 'SharedArrayBuffer', 'Atomics', 'eval', 'WebAssembly',
]) delete realm[name];
// Data with a key of this name would otherwise change what it is copied into.
delete NativeObject.prototype.__proto__;
const noCode = 'making code from text is not possible here; write the code itself';
for (const maker of [
  function () {}, async function () {}, function* () {}, async function* () {},
]) {
  const proto = getPrototypeOf(maker);
  const refuse = { Function() { throw new NativeTypeError(noCode); } }.Function;
  const refusing = function Function() { return refuse(); };
  defineProperty(refusing, 'prototype', { __proto__: null, value: proto, writable: false });
  defineProperty(proto, 'constructor', {
    __proto__: null, value: freeze(refusing), writable: false, configurable: false,
  });
  if (proto === Function.prototype) fixed(realm, 'Function', refusing);
}

function begin(clock, room, names, program) {
  now = began = clock;
  logRoom = room;
  source = program;
  plant(names);
}

// A plain stand-in for a value that JSON has no form for.
function plain(value, kind) {
  switch (kind) {
    case DATE: { const t = timeOf(value); return t === t ? isoDate(value) : null; }
    case REGEXP: return '/' + regexpSource(value) + '/' + regexpLetters(value);
    case BOXED: return boxed(value);
    case SET: {
      const items = [];
      setEach(value, (item) => append(items, item));
      return items;
    }
    case MAP: return plainMap(value);
    case VIEW: return value;
    case BUFFER: return new Bytes(value);
    case DATAVIEW: return bytesOf(value);
    case ERROR: return plainError(value);
  }
}

function boxed(value) {
  try { return numberOf(value); } catch { /* another kind */ }
  try { return stringOf(value); } catch { /* another kind */ }
  try { return booleanOf(value); } catch { return StringOf(value); }
}

function plainMap(map) {
  let texts = true;
  mapEach(map, (_, key) => { if (typeof key !== 'string') texts = false; });
  const out = texts ? { __proto__: null } : [];
  mapEach(map, (item, key) => {
    if (!texts) append(out, [key, item]);
    else ordinary(out, key, item, true);
  });
  return out;
}

function plainError(error) {
  const out = { __proto__: null };
  out.name = readText(error, 'name', 200) ?? 'Error';
  out.message = readText(error, 'message', 8000) ?? '';
  const names = ownEnumerable(error);
  for (let i = 0; i < names.length; i++) {
    if (names[i] === 'name' || names[i] === 'message' || names[i] === 'stack') continue;
    ordinary(out, names[i], error[names[i]], true);
  }
  return out;
}

return {
  __proto__: null,
  begin, settle, fire, plain, describeError,
  end() { ended = true; },
  isArray,
  isCallFailure: (error) => native.kindOf(error) >= 0 && weakGet(fromHost, error) === true,
};
