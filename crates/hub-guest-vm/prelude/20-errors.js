// ToolError: what a failed call throws. `instanceof Error`, and its message may be shown as it is.
const FIELDS = freeze(['code', 'address', 'status', 'hint', 'retryable']);
const toolErrors = new WeakMap(); // error → its fields, whatever the program does to it later

class ToolError extends Error {
  constructor(message, fields) {
    super(message);
    const from = fields === undefined || fields === null ? { __proto__: null } : fields;
    const kept = { __proto__: null };
    ordinary(this, 'name', 'ToolError');
    for (let i = 0; i < FIELDS.length; i++) {
      const field = FIELDS[i];
      let value = from[field];
      if (field === 'code') value = value === undefined ? 'tool_failed' : StringOf(value);
      if (field === 'retryable') value = !!value;
      if (value === undefined) continue;
      kept[field] = value;
      ordinary(this, field, value, true);
    }
    weakSet(toolErrors, this, freeze(kept));
  }
}
expose('ToolError', ToolError);

const fromHost = new WeakMap(); // errors of calls: unawaited ones are a notice, not a failure

// `stack` is that of the call: when the answer comes, the program is not on the stack any more.
function hostError(fields, stack) {
  const error = new ToolError(fields.message, fields);
  if (stack !== undefined) ordinary(error, 'stack', stack);
  weakSet(fromHost, error, true);
  return error;
}

function text(value, limit) {
  const all = typeof value === 'string' ? value : StringOf(value);
  return wellFormed(all.length > limit ? head(all, limit) + '…' : all);
}

// The text of a property that a program may have turned into anything.
function readText(object, name, limit) {
  try {
    const value = object[name];
    if (value === undefined || value === null) return undefined;
    if (typeof value === 'object' || typeof value === 'function') return undefined;
    return text(value, limit);
  } catch { return undefined; }
}

function readStack(error) {
  try {
    const own = getOwnPropertyDescriptor(error, 'stack');
    const stack = own === undefined ? stackOf(error) : own.value;
    return typeof stack === 'string' ? head(stack, 4096) : undefined;
  } catch { return undefined; }
}

// An error value for the host, as JSON.
function describeError(error) {
  const out = { __proto__: null };
  const kind = native.kindOf(error);
  if (kind < 0 || kind === FUNCTION) {
    out.name = 'Error';
    out.message = printed(error);
    return toJson(out);
  }
  out.name = readText(error, 'name', 200) ?? (kind === ERROR ? 'Error' : 'Object');
  out.message = readText(error, 'message', 8000)
    ?? (kind === ERROR ? '' : printed(error));
  const stack = readStack(error);
  if (stack !== undefined) out.stack = stack;
  const fields = weakGet(toolErrors, error);
  if (fields !== undefined) {
    const tool = { __proto__: null };
    for (let i = 0; i < FIELDS.length; i++) {
      const value = fields[FIELDS[i]];
      if (value === undefined) continue;
      tool[FIELDS[i]] = typeof value === 'string' ? text(value, 8000) : value;
    }
    if (typeof tool.status !== 'number') delete tool.status;
    out.tool = tool;
  }
  const code = weakGet(ours, error);
  if (code !== undefined) out.code = code;
  return toJson(out);
}
