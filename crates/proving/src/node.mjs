// Runs programs, one JSON text a line, as the sandbox would: one answer at a time, all jobs
// between two answers, timers when nothing else is on its way. Answers one JSON line for each.
import { stripTypeScriptTypes } from 'node:module';
import { createInterface } from 'node:readline';

process.on('unhandledRejection', () => {});

// The sandbox's dates do not name their zone.
const dateText = Date.prototype.toString;
Date.prototype.toString = function () { return dateText.call(this).replace(/ \(.*\)$/, ''); };

function nameOf(error) {
  const object = typeof error === 'object' && error !== null;
  return object ? String(error.name ?? 'Object') : 'Error';
}

class ToolError extends Error {
  constructor(message, fields) { super(message); this.name = 'ToolError'; Object.assign(this, fields); }
}

// What cannot be sent as arguments is refused at once.
function plain(args) {
  return JSON.parse(JSON.stringify(args ?? {}, (_, v) => {
    const odd = typeof v === 'bigint' || (typeof v === 'number' && !Number.isFinite(v))
      || (typeof v === 'string' && !v.isWellFormed());
    if (odd) throw new ToolError('refused', { code: 'invalid_arguments' });
    return v;
  }));
}

async function play(code) {
  const logs = [], answers = [], timers = [];
  let now = 0;
  const call = (settle) => async (args) => {
    const given = plain(args);
    return new Promise((resolve, reject) => answers.push(() => settle(given, resolve, reject)));
  };
  const demo = Object.freeze({
    echo: call((given, resolve) => resolve(given)),
    fail: call((_, __, reject) => reject(new ToolError('no such repo', { code: 'tool_failed' }))),
  });
  const console = { log: (line) => logs.push(line) };
  const setTimeout = (f, ms) => timers.push({ due: now + ms, f });
  const text = stripTypeScriptTypes(`async function main() {${code}\n}`, { mode: 'transform' });
  const make = new Function('console', 'demo', 'ToolError', 'setTimeout',
    `'use strict'; ${text}\nreturn main;`);
  let ended;
  make(console, demo, ToolError, setTimeout)().then(
    (value) => { ended = { result: JSON.stringify(value ?? null) } },
    (error) => { ended = { error: nameOf(error) }; answers.length = 0; });
  for (;;) {
    await new Promise(setImmediate);
    const answer = answers.shift();
    if (answer) { now++; answer(); continue; }
    if (ended || timers.length === 0) break;
    timers.sort((a, b) => a.due - b.due);
    const timer = timers.shift();
    now = Math.max(now, timer.due);
    timer.f();
  }
  return { logs, ...(ended ?? { stalled: true }) };
}

for await (const line of createInterface({ input: process.stdin })) {
  let told;
  try { told = await play(JSON.parse(line)); } catch (e) { told = { broken: String(e) }; }
  process.stdout.write(JSON.stringify(told) + '\n');
}
