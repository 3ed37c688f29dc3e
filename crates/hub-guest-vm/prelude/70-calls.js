// Calls, lookups and timers: what the program asks of the hub. An operation has a number as soon
// as the host has taken it; one that is refused has none.
const LOG = 1, LOGS_CUT = 2, CALL = 3, SEARCH = 4, DESCRIBE = 5, TIMER = 6, CLEAR = 7;
const TIMEOUT_MS = 30000, TIMERS = 1000;
let nextTimer = 0, armed = 0, ended = false;
const waiting = new NativeMap(); // number → how to settle it
const timers = new NativeMap(); // number → what to run

function failure(code, message, address) {
  return hostError({ __proto__: null, code, message, address }, readStack(new NativeError()));
}

// Starts an operation. `about` is its address, `value` its arguments.
function operation(kind, about, value, address) {
  return new NativePromise((resolve, reject) => {
    if (ended) return reject(failure('cancelled', 'the program has ended', address));
    // Reading the arguments may run getters that start operations of their own; the number is
    // given when all is read.
    const taken = native.operation(kind, about, value);
    if (typeof taken === 'number') {
      const stack = readStack(new NativeError());
      mapSet(waiting, taken, { __proto__: null, resolve, reject, address, stack });
    } else if (taken === '') {
      reject(failure('limit_calls',
        'too many operations were started at once; await some of them first', address));
    } else {
      reject(failure('invalid_arguments', taken, address));
    }
  });
}

function callTool(address, args, options) {
  let connection;
  try { connection = connectionOf(options); } catch (error) {
    return new NativePromise((_, reject) => reject(
      failure('invalid_arguments', readText(error, 'message', 500) ?? '', address)));
  }
  const about = connection === undefined ? address : address + '\n' + connection;
  return operation(CALL, about, args === undefined ? { __proto__: null } : args, address);
}

function connectionOf(options) {
  if (options === undefined) return undefined;
  const wrong = 'the second argument is { connection: "name" }, or nothing';
  if (native.kindOf(options) !== 0) throw new NativeTypeError(wrong);
  const names = ownEnumerable(options);
  for (let i = 0; i < names.length; i++) {
    if (names[i] !== 'connection') throw new NativeTypeError(wrong);
  }
  const { connection } = options;
  if (connection === undefined) return undefined;
  if (typeof connection !== 'string') throw new NativeTypeError(wrong);
  return text(connection, 200);
}

expose('hub', {
  search(query, options) {
    return operation(SEARCH, '', options === undefined ? [query] : [query, options], 'hub.search');
  },
  describe(targets) { return operation(DESCRIBE, '', [targets], 'hub.describe'); },
});

function settle(n, ok, value, at) {
  now = at;
  const entry = mapGet(waiting, n);
  if (entry === undefined) return;
  mapDelete(waiting, n);
  if (ok) return entry.resolve(value);
  const fields = { __proto__: null, address: entry.address, message: value.message };
  for (let i = 0; i < FIELDS.length; i++) {
    if (hasOwn(value, FIELDS[i])) fields[FIELDS[i]] = value[FIELDS[i]];
  }
  entry.reject(hostError(fields, entry.stack));
}

expose('setTimeout', function setTimeout(callback, delay = 0, ...args) {
  if (typeof callback !== 'function') {
    throw new NativeTypeError('setTimeout takes a function and milliseconds');
  }
  let ms = NumberOf(delay);
  if (!(ms > 0)) ms = 0;
  if (ms > TIMEOUT_MS) {
    throw new NativeRangeError('setTimeout waits at most ' + TIMEOUT_MS + ' ms');
  }
  if (armed >= TIMERS || ended || !native.send(TIMER, nextTimer, '', StringOf(floor(ms)))) {
    throw new NativeRangeError('too many timers; at most ' + TIMERS + ' wait at once');
  }
  armed++;
  mapSet(timers, nextTimer++, { __proto__: null, callback, args });
  return nextTimer;
});

expose('clearTimeout', function clearTimeout(id) {
  const timer = typeof id === 'number' ? id - 1 : -1;
  if (!mapHas(timers, timer)) return;
  if (!native.send(CLEAR, timer, '', '')) {
    throw new NativeRangeError('too many timers were set and cleared at once');
  }
  armed--;
  mapDelete(timers, timer);
});

// The callback of a timer, for the host to call: so no frame of ours lies below the program's.
function fire(timer, at) {
  now = at;
  const entry = mapGet(timers, timer);
  if (entry === undefined) return undefined;
  armed--;
  mapDelete(timers, timer);
  return entry;
}

expose('queueMicrotask', function queueMicrotask(callback) {
  if (typeof callback !== 'function') throw new NativeTypeError('queueMicrotask takes a function');
  native.job(callback);
});
