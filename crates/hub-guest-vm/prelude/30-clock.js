// Time stands still between deliveries, and chance comes from the run's seed.
let now = 0;
let began = 0;

const FixedDate = function Date(...parts) {
  if (new.target === undefined) return dateText(construct(NativeDate, [now]));
  if (parts.length === 0) append(parts, now);
  return construct(NativeDate, parts, new.target);
};
defineProperty(FixedDate, 'length', { __proto__: null, value: 7 });
defineProperty(FixedDate, 'prototype', {
  __proto__: null, value: NativeDate.prototype, writable: false,
});
ordinary(FixedDate, 'now', { now() { return now; } }.now);
ordinary(FixedDate, 'parse', NativeDate.parse);
ordinary(FixedDate, 'UTC', NativeDate.UTC);
ordinary(NativeDate.prototype, 'constructor', FixedDate);
ordinary(realm, 'Date', FixedDate);
expose('performance', { now() { return now - began; } });

ordinary(Math, 'random', { random() { return native.random(); } }.random);
const INTEGER_VIEWS = {
  __proto__: null, Int8Array: 1, Uint8Array: 1, Uint8ClampedArray: 1, Int16Array: 1,
  Uint16Array: 1, Int32Array: 1, Uint32Array: 1, BigInt64Array: 1, BigUint64Array: 1,
};
const RANDOM_BYTES = 65536;
const HEX = '0123456789abcdef';
expose('crypto', {
  getRandomValues(view) {
    if (INTEGER_VIEWS[viewTag(view)] !== 1) {
      throw new NativeTypeError('getRandomValues fills an integer typed array');
    }
    if (viewBytes(view) > RANDOM_BYTES) {
      throw new NativeRangeError('getRandomValues fills at most ' + RANDOM_BYTES + ' bytes');
    }
    native.fill(new Bytes(viewBuffer(view), viewOffset(view), viewBytes(view)));
    return view;
  },
  randomUUID() {
    const bytes = new Bytes(16);
    native.fill(bytes);
    bytes[6] = (bytes[6] & 0x0f) | 0x40;
    bytes[8] = (bytes[8] & 0x3f) | 0x80;
    let out = '';
    for (let i = 0; i < 16; i++) {
      if (i === 4 || i === 6 || i === 8 || i === 10) out += '-';
      out += HEX[bytes[i] >> 4] + HEX[bytes[i] & 15];
    }
    return out;
  },
});
