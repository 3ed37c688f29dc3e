// Text and bytes.

expose('TextEncoder', class TextEncoder {
  get encoding() { return 'utf-8'; }
  encode(input = '') { return native.encode(StringOf(input)); }
  encodeInto(input, target) {
    const all = StringOf(input);
    let read = 0, written = 0;
    while (read < all.length) {
      const unit = charCode(all, read);
      const pair = unit >= 0xd800 && unit < 0xdc00 && read + 1 < all.length
        && (charCode(all, read + 1) & 0xfc00) === 0xdc00;
      const bytes = native.encode(slice(all, read, read + (pair ? 2 : 1)));
      const size = viewLength(bytes);
      if (written + size > target.length) break;
      for (let i = 0; i < size; i++) target[written + i] = bytes[i];
      written += size;
      read += pair ? 2 : 1;
    }
    return { read, written };
  }
});

function bytesOf(input) {
  switch (native.kindOf(input)) {
    case VIEW: return new Bytes(viewBuffer(input), viewOffset(input), viewBytes(input));
    case DATAVIEW: return new Bytes(dataBuffer(input), dataOffset(input), dataBytes(input));
    case BUFFER: return new Bytes(input);
    default: throw new NativeTypeError('expected an ArrayBuffer or a view of one');
  }
}

expose('TextDecoder', class TextDecoder {
  #fatal;
  #keepMark;
  constructor(label = 'utf-8', options = undefined) {
    const name = toLower(StringOf(label));
    if (name !== 'utf-8' && name !== 'utf8') {
      throw new NativeRangeError('TextDecoder knows only utf-8, not ' + name);
    }
    this.#fatal = !!options?.fatal;
    this.#keepMark = !!options?.ignoreBOM;
  }
  get encoding() { return 'utf-8'; }
  get fatal() { return this.#fatal; }
  get ignoreBOM() { return this.#keepMark; }
  decode(input) {
    if (input === undefined) return '';
    const out = native.decode(bytesOf(input), this.#fatal);
    if (out === undefined) throw new NativeTypeError('the bytes are not utf-8');
    return !this.#keepMark && charCode(out, 0) === 0xfeff ? slice(out, 1) : out;
  }
});

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
const digitOf = { __proto__: null };
for (let i = 0; i < 64; i++) digitOf[ALPHABET[i]] = i;

expose('btoa', function btoa(input) {
  const all = StringOf(input);
  let out = '';
  for (let i = 0; i < all.length; i += 3) {
    const left = all.length - i;
    const a = charCode(all, i);
    const b = left > 1 ? charCode(all, i + 1) : 0;
    const c = left > 2 ? charCode(all, i + 2) : 0;
    if ((a | b | c) > 255) {
      throw new NativeRangeError('btoa takes characters up to U+00FF; encode the text first');
    }
    out += ALPHABET[a >> 2] + ALPHABET[((a & 3) << 4) | (b >> 4)]
      + (left > 1 ? ALPHABET[((b & 15) << 2) | (c >> 6)] : '=')
      + (left > 2 ? ALPHABET[c & 63] : '=');
  }
  return out;
});

expose('atob', function atob(input) {
  const all = StringOf(input);
  let out = '', held = 0, bits = 0, digits = 0, pads = 0;
  for (let i = 0; i < all.length; i++) {
    const char = all[i];
    if (char === ' ' || char === '\n' || char === '\t' || char === '\r' || char === '\f') continue;
    if (char === '=') { pads++; continue; }
    const digit = digitOf[char];
    if (digit === undefined || pads > 0) throw new NativeRangeError('atob: not base64');
    digits++;
    held = ((held << 6) | digit) & 0xfff;
    bits += 6;
    if (bits >= 8) { bits -= 8; out += fromCharCode((held >> bits) & 255); }
  }
  const padded = pads > 0 && (pads > 2 || (digits + pads) % 4 !== 0);
  if (digits % 4 === 1 || padded) throw new NativeRangeError('atob: not base64');
  return out;
});
