// console: values as text, in order, within a budget. Printing runs no guest code: getters are
// named, not called, and proxies are not entered.
const TABLE = 5; // levels are numbered in the order of the methods below
const ITEMS = 100, PRINT_DEPTH = 4;
let logRoom = 0;

function quoted(value, room) {
  return toJson(head(value, room.left));
}

function inspect(value, room, parents, depth) {
  const out = inspected(value, room, parents, depth);
  room.left -= out.length;
  return out;
}

function inspected(value, room, parents, depth) {
  if (room.left <= 0) return '…';
  switch (typeof value) {
    case 'string':
      if (depth > 0) return quoted(value, room);
      return head(value, room.left);
    case 'number': return value === 0 && 1 / value < 0 ? '-0' : StringOf(value);
    case 'bigint': return StringOf(value) + 'n';
    case 'symbol': return symbolText(value);
    case 'undefined': return 'undefined';
    case 'boolean': return value ? 'true' : 'false';
  }
  if (value === null) return 'null';
  for (let i = 0; i < parents.length; i++) if (parents[i] === value) return '[Circular]';
  const kind = native.kindOf(value);
  const brief = briefly(value, kind);
  if (brief !== undefined) return brief;
  if (depth > PRINT_DEPTH) return kind === ARRAY ? '[Array]' : '[Object]';
  const inner = [];
  for (let i = 0; i < parents.length; i++) append(inner, parents[i]);
  append(inner, value);
  const print = (item) => inspect(item, room, inner, depth + 1);
  switch (kind) {
    case ARRAY: return listed('[', value.length, (i) => shown(value, i, print), ']', room);
    case VIEW:
      return listed(viewTag(value) + '(' + viewLength(value) + ') [', viewLength(value),
        (i) => StringOf(value[i]), ']', room);
    case MAP: case SET: {
      const parts = [];
      const add = (item, key) => {
        if (parts.length >= ITEMS || room.left <= 0) return;
        append(parts, kind === MAP ? print(key) + ' => ' + print(item) : print(item));
      };
      (kind === MAP ? mapEach : setEach)(value, add);
      return (kind === MAP ? 'Map {' : 'Set {') + join(parts, ', ') + '}';
    }
    default: {
      const names = ownEnumerable(value);
      const item = (i) => plainKey(names[i]) + ': ' + shown(value, names[i], print);
      return listed('{', names.length, item, '}', room);
    }
  }
}

function briefly(value, kind) {
  switch (kind) {
    case FUNCTION: {
      const name = getOwnPropertyDescriptor(value, 'name');
      const known = name !== undefined && typeof name.value === 'string' && name.value !== '';
      return known ? '[Function ' + head(name.value, 100) + ']' : '[Function]';
    }
    case DATE: { const t = timeOf(value); return t === t ? isoDate(value) : 'Invalid Date'; }
    case REGEXP: return '/' + regexpSource(value) + '/' + regexpLetters(value);
    case PROMISE: return '[Promise]';
    case PROXY: return '[Proxy]';
    case WEAK: return '[Weak]';
    case BUFFER: return 'ArrayBuffer(' + bufferBytes(value) + ')';
    case DATAVIEW: return 'DataView(' + dataBytes(value) + ')';
    case BOXED: return '[Boxed]';
    case ERROR: {
      const name = plainText(value, 'name') ?? 'Error';
      const message = plainText(value, 'message') ?? '';
      const stack = readStack(value);
      return name + (message === '' ? '' : ': ' + message) + (stack ? '\n' + stack : '');
    }
  }
}

// A text found as plain data on the object or its prototypes; getters are not called.
function plainText(object, name) {
  for (let at = object, i = 0; at !== null && i < 8; at = getPrototypeOf(at), i++) {
    if (native.kindOf(at) === PROXY) return undefined;
    const property = getOwnPropertyDescriptor(at, name);
    if (property === undefined) continue;
    return typeof property.value === 'string' ? property.value : undefined;
  }
}

function shown(object, key, print) {
  const property = getOwnPropertyDescriptor(object, key);
  if (property === undefined) return '<empty>';
  return hasOwn(property, 'value') ? print(property.value) : '[Getter]';
}

function plainKey(key) {
  return matchText(/^[\w$]{1,60}$/, key) === null ? toJson(head(key, 200)) : key;
}

function listed(open, length, item, close, room) {
  const parts = [];
  let i = 0;
  for (; i < length && i < ITEMS && room.left > 0; i++) append(parts, item(i));
  if (i < length) append(parts, '… ' + (length - i) + ' more');
  return open + join(parts, ', ') + close;
}

// One value as a short text.
function printed(value) {
  return wellFormed(inspect(value, { __proto__: null, left: 2000 }, [], 0));
}

function write(level, values) {
  if (logRoom <= 0) return;
  const room = { __proto__: null, left: logRoom };
  let line = '';
  for (let i = 0; i < values.length && room.left > 0; i++) {
    if (i > 0) { line += ' '; room.left--; }
    line += inspect(values[i], room, [], 0);
  }
  say(level, line);
}

function say(level, line) {
  const out = line.length > logRoom ? head(line, logRoom) + '…' : line;
  logRoom -= line.length + 1;
  native.send(LOG, level, '', out);
  if (logRoom <= 0) native.send(LOGS_CUT, 0, '', '');
}

// Rows under the names of their columns.
function table(rows) {
  const kind = native.kindOf(rows);
  if (kind !== ARRAY && kind !== 0) return write(TABLE, [rows]);
  const names = ownEnumerable(rows);
  const columns = [];
  const known = { __proto__: null };
  const grid = [];
  for (let i = 0; i < names.length && i < ITEMS; i++) {
    const row = getOwnPropertyDescriptor(rows, names[i]).value;
    const cells = { __proto__: null };
    const fields = native.kindOf(row) === ARRAY || native.kindOf(row) === 0
      ? ownEnumerable(row) : undefined;
    const add = (column, value) => {
      if (known[column] === undefined) { known[column] = true; append(columns, column); }
      cells[column] = head(printed(value), 200);
    };
    if (fields === undefined) add('value', row);
    else for (let j = 0; j < fields.length && j < ITEMS; j++) {
      add(fields[j], getOwnPropertyDescriptor(row, fields[j]).value);
    }
    append(grid, cells);
  }
  let out = '| index';
  for (let c = 0; c < columns.length; c++) out += ' | ' + columns[c];
  out += ' |';
  for (let i = 0; i < grid.length; i++) {
    out += '\n| ' + names[i];
    for (let c = 0; c < columns.length; c++) out += ' | ' + (grid[i][columns[c]] ?? '');
    out += ' |';
  }
  say(TABLE, out);
}

expose('console', {
  log(...values) { write(0, values); },
  info(...values) { write(1, values); },
  warn(...values) { write(2, values); },
  error(...values) { write(3, values); },
  debug(...values) { write(4, values); },
  table(rows) { if (logRoom > 0) table(rows); },
});
