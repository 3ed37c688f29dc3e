// Stacks show the program and nothing else. The engine asks this function for the text of every
// stack, so no frame of ours or of the engine's ever enters one; the hook itself is then removed
// from the guest's sight.
let source = '';

function programLine(number) {
  let start = 0;
  for (let i = 1; i < number; i++) {
    start = indexOf(source, '\n', start) + 1;
    if (start === 0) return undefined;
  }
  const end = indexOf(source, '\n', start);
  return slice(source, start, end < 0 ? source.length : end);
}

const sites = (() => {
  let proto;
  Error.prepareStackTrace = (_, list) => { proto = getPrototypeOf(list[0]); return ''; };
  new Error('probe');
  return {
    __proto__: null,
    file: uncurry(proto.getFileName),
    name: uncurry(proto.getFunctionName),
    line: uncurry(proto.getLineNumber),
    column: uncurry(proto.getColumnNumber),
  };
})();

Error.prepareStackTrace = (error, list) => {
  let text = '';
  for (let i = 0; i < list.length; i++) {
    const site = list[i];
    if (sites.file(site) !== 'program') continue;
    // What happens before the first statement that has a place happens at the start.
    const line = sites.line(site) ?? 1, column = sites.column(site);
    if (i === 0) explain(error, line, column);
    const name = sites.name(site);
    const place = 'program:' + line + ':' + column;
    if (text !== '') text += '\n';
    text += name ? '    at ' + name + ' (' + place + ')' : '    at ' + place;
  }
  return text;
};

delete Error.prepareStackTrace;
delete Error.captureStackTrace;
delete Error.stackTraceLimit;

// The engine says only "not a function". Say what was called and, where that was meant to be a
// tool, which tools come close.
function explain(error, line, column) {
  const message = getOwnPropertyDescriptor(error, 'message');
  if (message === undefined || message.value !== 'not a function') return;
  const text = programLine(line);
  if (text === undefined) return;
  const callee = calleeAt(text, column);
  if (callee === undefined) return;
  const miss = missedTool(callee);
  if (miss === undefined) {
    ordinary(error, 'message', callee + ' is not a function');
    return;
  }
  ordinary(error, 'message', miss);
  weakSet(ours, error, 'unknown_tool');
}

// The call's position is that of its last name or of what stands before the brackets; the callee
// is the dotted path around it.
function calleeAt(text, column) {
  const rest = matchText(
    /^\.?[\w$]*(?:\[(?:"[^"\]]*"|'[^'\]]*'|\d+)\])*/, slice(text, column - 1));
  const end = column - 1 + rest[0].length;
  const before = matchText(
    /[\w$]+(?:\??\.[\w$]+|\[(?:"[^"\]]*"|'[^'\]]*'|\d+)\])*\s*(?:\?\.)?$/, slice(text, 0, end));
  return before === null ? undefined : matchText(/^\S*/, before[0])[0];
}

// Errors that are ours: the code that an ended run carries.
const ours = new WeakMap();
