// structuredClone, within the kinds of values a program has here.
const CLONE_DEPTH = 1000;

function cloneOf(value, seen, depth) {
  const kind = native.kindOf(value);
  if (kind < 0) {
    if (typeof value === 'symbol') throw new NativeTypeError('a symbol cannot be cloned');
    return value;
  }
  if (mapHas(seen, value)) return mapGet(seen, value);
  if (depth > CLONE_DEPTH) throw new NativeRangeError('structuredClone: nested too deeply');
  const keep = (copy) => { mapSet(seen, value, copy); return copy; };
  const deep = (inner) => cloneOf(inner, seen, depth + 1);
  switch (kind) {
    case FUNCTION: case PROMISE: case PROXY: case WEAK:
      throw new NativeTypeError('a function, promise, proxy or weak collection cannot be cloned');
    case DATE: return keep(construct(NativeDate, [timeOf(value)]));
    case REGEXP: return keep(new NativeRegExp(regexpSource(value), regexpLetters(value)));
    case BUFFER: return keep(bufferSlice(value, 0));
    case BOXED: return keep(NativeObject(unbox(value)));
    case VIEW: {
      const View = views[viewTag(value)];
      const bytes = viewBytes(value);
      const from = viewOffset(value);
      return keep(new View(bufferSlice(viewBuffer(value), from, from + bytes)));
    }
    case DATAVIEW: {
      const from = dataOffset(value);
      return keep(new NativeDataView(
        bufferSlice(dataBuffer(value), from, from + dataBytes(value))));
    }
    case MAP: {
      const copy = keep(new NativeMap());
      mapEach(value, (item, key) => mapSet(copy, deep(key), deep(item)));
      return copy;
    }
    case SET: {
      const copy = keep(new NativeSet());
      setEach(value, (item) => setAdd(copy, deep(item)));
      return copy;
    }
    case ERROR: {
      const copy = keep(new NativeError(readText(value, 'message', 1e6) ?? ''));
      ordinary(copy, 'name', readText(value, 'name', 1000) ?? 'Error');
      ordinary(copy, 'stack', readStack(value) ?? '');
      return copy;
    }
    default: {
      const copy = keep(kind === ARRAY ? [] : {});
      if (kind === ARRAY) copy.length = value.length;
      const names = ownEnumerable(value);
      for (let i = 0; i < names.length; i++) ordinary(copy, names[i], deep(value[names[i]]), true);
      return copy;
    }
  }
}

expose('structuredClone', function structuredClone(value) {
  return cloneOf(value, new NativeMap(), 0);
});
