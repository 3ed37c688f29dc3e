// Everything the prelude relies on, taken before any guest code runs. Guest code may change the
// built-ins of its own realm as it likes; nothing below looks them up again.
const uncurry = Function.prototype.bind.bind(Function.prototype.call);
const {
  create, defineProperty, freeze, getOwnPropertyDescriptor, getOwnPropertyNames: ownNames,
  getPrototypeOf, isFrozen, keys: ownEnumerable,
} = Object;
const NativeObject = Object;
const Behind = Proxy;
const getterOf = (proto, name) => uncurry(getOwnPropertyDescriptor(proto, name).get);
const hasOwn = uncurry(Object.prototype.hasOwnProperty);
const { construct, get: getInherited } = Reflect;
const { parse: parseJson, stringify: toJson } = JSON;
const { floor } = Math;
const { isArray } = Array;
const join = uncurry(Array.prototype.join);
const StringOf = String;
const { fromCharCode } = String;
const NumberOf = Number;
const NativeDate = Date;
const NativePromise = Promise;
const NativeError = Error;
const NativeTypeError = TypeError;
const NativeRangeError = RangeError;
const NativeMap = Map;
const NativeSet = Set;
const NativeRegExp = RegExp;
const Bytes = Uint8Array;
const charCode = uncurry(String.prototype.charCodeAt);
const slice = uncurry(String.prototype.slice);
const indexOf = uncurry(String.prototype.indexOf);
const toLower = uncurry(String.prototype.toLowerCase);
const wellFormed = uncurry(String.prototype.toWellFormed);
const matchText = uncurry(RegExp.prototype.exec);
const isoDate = uncurry(Date.prototype.toISOString);
const timeOf = uncurry(Date.prototype.getTime);
const dateText = uncurry(Date.prototype.toString);
const regexpSource = getterOf(RegExp.prototype, 'source');
const regexpFlags = [
  'd', 'hasIndices', 'g', 'global', 'i', 'ignoreCase', 'm', 'multiline', 's', 'dotAll',
  'u', 'unicode', 'v', 'unicodeSets', 'y', 'sticky',
];
for (let i = 1; i < regexpFlags.length; i += 2) {
  regexpFlags[i] = getterOf(RegExp.prototype, regexpFlags[i]);
}
function regexpLetters(regexp) {
  let out = '';
  for (let i = 1; i < regexpFlags.length; i += 2) {
    if (regexpFlags[i](regexp)) out += regexpFlags[i - 1];
  }
  return out;
}
const symbolText = uncurry(Symbol.prototype.toString);
const mapGet = uncurry(Map.prototype.get);
const mapSet = uncurry(Map.prototype.set);
const mapHas = uncurry(Map.prototype.has);
const mapDelete = uncurry(Map.prototype.delete);
const mapEach = uncurry(Map.prototype.forEach);
const mapSize = getterOf(Map.prototype, 'size');
const setAdd = uncurry(Set.prototype.add);
const setEach = uncurry(Set.prototype.forEach);
const weakGet = uncurry(WeakMap.prototype.get);
const weakSet = uncurry(WeakMap.prototype.set);
const TypedArray = getPrototypeOf(Uint8Array.prototype);
const viewLength = getterOf(TypedArray, 'length');
const viewBuffer = getterOf(TypedArray, 'buffer');
const viewOffset = getterOf(TypedArray, 'byteOffset');
const viewBytes = getterOf(TypedArray, 'byteLength');
const viewTag = getterOf(TypedArray, Symbol.toStringTag);
const bufferBytes = getterOf(ArrayBuffer.prototype, 'byteLength');
const bufferSlice = uncurry(ArrayBuffer.prototype.slice);
const dataBuffer = getterOf(DataView.prototype, 'buffer');
const dataOffset = getterOf(DataView.prototype, 'byteOffset');
const dataBytes = getterOf(DataView.prototype, 'byteLength');
const NativeDataView = DataView;
const views = create(null);
for (const View of [
  Int8Array, Uint8Array, Uint8ClampedArray, Int16Array, Uint16Array, Int32Array, Uint32Array,
  BigInt64Array, BigUint64Array, Float16Array, Float32Array, Float64Array,
]) views[View.name] = View;
const unbox = uncurry(Object.prototype.valueOf);
const numberOf = uncurry(Number.prototype.valueOf);
const stringOf = uncurry(String.prototype.valueOf);
const booleanOf = uncurry(Boolean.prototype.valueOf);
const stackOf = getterOf(Error.prototype, 'stack');
const realm = globalThis;

// Kinds of objects as the engine tells them apart; the numbers are `raw::kind_of`'s.
const ARRAY = 1, DATE = 2, REGEXP = 3, MAP = 4, SET = 5, ERROR = 6, PROMISE = 7, VIEW = 8;
const BUFFER = 9, DATAVIEW = 10, PROXY = 11, WEAK = 12, BOXED = 13, FUNCTION = 14;

// Adds to a list of our own without touching setters that a guest may have put on a prototype.
function append(list, value) {
  defineProperty(list, list.length, {
    __proto__: null, value, writable: true, enumerable: true, configurable: true,
  });
}

// A property nobody changes.
function fixed(object, name, value, enumerable = false) {
  defineProperty(object, name, {
    __proto__: null, value, enumerable, writable: false, configurable: false,
  });
}

// A property that behaves like one of the language's own.
function ordinary(object, name, value, enumerable = false) {
  defineProperty(object, name, {
    __proto__: null, value, enumerable, writable: true, configurable: true,
  });
}

// Freezes an object of ours with its prototype and the functions in it.
function harden(value) {
  if (isFrozen(value)) return value;
  freeze(value);
  const names = ownNames(value);
  for (let i = 0; i < names.length; i++) {
    const { value: inner, get } = getOwnPropertyDescriptor(value, names[i]);
    if (typeof inner === 'function' || names[i] === 'prototype') harden(inner);
    if (get !== undefined) harden(get);
  }
  return value;
}

// A function, class or object as a global that stays.
function expose(name, value) {
  fixed(realm, name, harden(value));
}

// The first `limit` units of a text; one less where that would cut a character in two.
function head(value, limit) {
  if (value.length <= limit) return value;
  const unit = charCode(value, limit - 1);
  return slice(value, 0, unit >= 0xd800 && unit < 0xdc00 ? limit - 1 : limit);
}
