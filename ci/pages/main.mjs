// Drives every page of a real hub in a headless browser. Started by `cargo xtask pages`:
//
//   node main.mjs --hub BINARY --tools FOLDER --shots FOLDER [--only WORD]
//
// Prints a line for each behaviour and a summary last; exit code 1 where one fails. Everything
// that it starts ends with it, by its process id, also when it is told to stop or runs too long.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Chromium } from "./chromium.mjs";
import { Hub } from "./hub.mjs";
import { access } from "./behaviours/access.mjs";
import { deciding } from "./behaviours/deciding.mjs";
import { always } from "./behaviours/always.mjs";
import { sources } from "./behaviours/sources.mjs";
import { display } from "./behaviours/display.mjs";
import { shots } from "./behaviours/shots.mjs";

// How quick a machine is is no matter of the pages: a busy one gets the time it needs.
const PATIENCE_MS = 1_740_000;
const BEHAVIOUR_MS = 240_000;

const given = {};
for (let at = 2; at < process.argv.length; at += 2) given[process.argv[at].slice(2)] = process.argv[at + 1];
const folder = mkdtempSync(join(tmpdir(), "hub-pages-"));
const ends = [];

function endAll() {
  for (const end of ends.splice(0).reverse()) {
    try { end(); } catch { /* it has ended by itself */ }
  }
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
}

process.on("exit", endAll);
for (const signal of ["SIGTERM", "SIGINT"]) process.on(signal, () => process.exit(1));
setTimeout(() => {
  console.log(`pages: not done after ${PATIENCE_MS / 1000} s`);
  process.exit(1);
}, PATIENCE_MS).unref();

const counts = { passed: 0, failed: 0 };

/// Runs one behaviour and prints how it went.
async function behaves(name, work) {
  if (given.only && !name.includes(given.only)) return;
  const began = Date.now();
  let late;
  const tooLate = new Promise((_, no) => {
    late = setTimeout(() => no(new Error(`not done after ${BEHAVIOUR_MS / 1000} s`)), BEHAVIOUR_MS);
  });
  try {
    await Promise.race([work(), tooLate]);
    counts.passed += 1;
    console.log(`ok      ${name} (${Date.now() - began} ms)`);
  } catch (error) {
    counts.failed += 1;
    console.log(`FAILED  ${name}\n        ${String(error.stack ?? error).split("\n").slice(0, 6).join("\n        ")}`);
  } finally {
    clearTimeout(late);
  }
}

try {
  const hub = new Hub(given.hub, given.tools, folder, ends);
  await hub.start();
  await hub.connectSources();
  const chromium = await Chromium.launch(given.chromium, folder, ends);
  const stage = { hub, chromium, behaves, folder, ends, shots: given.shots };
  for (const part of [access, deciding, always, sources, display, shots]) await part(stage);
  await chromium.close();
} catch (error) {
  counts.failed += 1;
  console.log(`FAILED  ${error.stack ?? error}`);
}
console.log(`pages: ${counts.passed} behaviours hold, ${counts.failed} do not`);
process.exit(counts.failed === 0 ? 0 : 1);
