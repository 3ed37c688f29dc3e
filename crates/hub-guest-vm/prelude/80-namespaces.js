// One frozen object per namespace, made when the program first touches it, whose functions are made
// when they are asked for: a run with 500 tools then costs no more than one with five. The raw
// names work in brackets but are not listed.
const missed = new NativeMap(); // names asked for in vain → index of the namespace
const MISSES = 64;
let namespaces = [];

function plant(names) {
  namespaces = parseJson(names);
  for (let i = 0; i < namespaces.length; i++) {
    const name = namespaces[i];
    let grown;
    defineProperty(realm, name, {
      __proto__: null,
      get: freeze(() => (grown ??= grow(name, i))),
      set: undefined,
      enumerable: true,
      configurable: false,
    });
  }
}

function grow(name, index) {
  const make = (tool) => {
    const address = name + '.' + tool;
    const call = { [tool](args, options) { return callTool(address, args, options); } }[tool];
    return freeze(call);
  };
  return native.space(index, make, new Behind(NativeObject.prototype, watcher(index)));
}

// Sits behind a namespace, where only names arrive that it does not have.
function watcher(index) {
  return freeze({
    __proto__: null,
    get(target, key, receiver) {
      if (typeof key === 'string' && key !== 'then' && !(key in target)) {
        if (mapSize(missed) < MISSES) mapSet(missed, key, index);
        return undefined;
      }
      return getInherited(target, key, receiver);
    },
    setPrototypeOf() { return false; },
    defineProperty() { return false; },
    deleteProperty() { return false; },
    preventExtensions() { return false; },
    set() { throw new NativeTypeError('the namespaces of tools cannot be changed'); },
  });
}

// Why calling `callee` failed, where its last name was asked of a namespace in vain.
function missedTool(callee) {
  const found = matchText(/([\w$]+)$|\[(?:"([^"]*)"|'([^']*)')\]$/, callee);
  if (found === null) return undefined;
  const name = found[1] ?? found[2] ?? found[3];
  const index = mapGet(missed, name);
  if (index === undefined) return undefined;
  const space = namespaces[index];
  const close = native.closest(index, name);
  return space + ' has no tool ' + name + (close === '' ? '' : '; closest: ' + close);
}
