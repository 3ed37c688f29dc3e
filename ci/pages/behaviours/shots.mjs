// Each page as a person sees it: checked by axe, and kept as a picture.
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { check, faults, hold, PHONE, same, WIDE } from "../chromium.mjs";
import { Hub } from "../hub.mjs";

const VIEWS = [
  ["light", { view: WIDE }],
  ["dark", { view: WIDE, dark: true }],
  ["phone", { view: PHONE }],
];

const PROGRAM = `// Close what was reported twice.
const { issues } = await tracker.searchIssues({ query: "crash" });
const [keep, ...twins] = issues;
for (const twin of twins) {
  await tracker.commentOnIssue({ number: keep.number, text: \`Also reported as \${twin.number}.\` });
}
const gone = await Promise.all(twins.map((twin) =>
  tracker.deleteIssue({ number: twin.number })));
return { kept: keep.number, gone: gone.length };`;

/// Makes a hub worth looking at; the pages to look at, by name.
async function scene(hub) {
  const agent = await hub.api("keys/issue", { client: "claude-code", mode: "browser", dedupe: true });
  await hub.api("keys/issue", { client: "vscode", mode: "auto", dedupe: true });
  await hub.rule("notes.moveFile", "deny", { note: "my notes stay where they are" });
  await hub.rule("tracker.createIssue", "allow", { client: "claude-code" });
  await hub.execute(`for (const title of ["Crash when printing", "Crash when pasting"]) await tracker.createIssue({ title });`);
  const done = await hub.execute("return (await tracker.listIssues({ state: 'open' })).issues.length;", agent.token);
  const group = await hub.waits(PROGRAM, "awaiting_approval", agent.token);
  const single = await hub.waits(`const today = "daily/friday.md";
await notes.writeFile({ path: today, content: "- call the dentist\\n- water the plants\\n" });
return today;`, "awaiting_approval", agent.token);
  const confirm = await confirmed(hub, agent.token);
  const connection = await hub.waits("return await calendar.listMeetings({}); // next", "awaiting_connection", agent.token);
  const tracker = (await hub.api("sources/list")).find((view) => view.source.name === "tracker").source.id;
  return {
    waiting: "", approval: `runs/${single}`, group: `runs/${group}`, confirm: `runs/${confirm}`,
    connection: `runs/${connection}`, done: `runs/${done.runId}`, runs: "runs", sources: "sources",
    source: `sources/${tracker}`, rules: "rules?address=tracker.deleteIssue", clients: "clients",
  };
}

async function confirmed(hub, key) {
  const rule = await hub.rule("notes.editFile", "confirm", { note: "I read every edit" });
  hub.writeNote("plan.md", "Plan A\n");
  const code = `return await notes.editFile({ path: "plan.md", edits: [{ oldText: "Plan A", newText: "Plan B" }] });`;
  const run = await hub.waits(code, "awaiting_approval", key);
  check(rule.id, rule);
  return run;
}

export async function shots({ hub: tested, chromium, behaves, folder: home, ends, shots: folder }) {
  const own = join(home, "shots");
  mkdirSync(own);
  const hub = new Hub(tested.binary, tested.tools, own, ends);
  let pages;
  await behaves("a hub worth looking at", async () => {
    await hub.start();
    await hub.connectSources();
    hub.guarded.lock();
    pages = await scene(hub);
  });
  if (!pages) return;
  if (folder) mkdirSync(folder, { recursive: true });
  for (const [view, how] of VIEWS) {
    await behaves(`every page is accessible (${view})`, async () => {
      const person = await chromium.person(hub, undefined, how);
      const wrong = [];
      for (const [name, to] of Object.entries(pages)) {
        await person.go(to);
        await hold(person.page);
        if (name === "approval") {
          await person.open("Always allow");
        }
        wrong.push(...(await faults(person.page)).map((fault) => `${name}: ${fault}`));
        const wide = await person.page.evaluate((width) => document.documentElement.scrollWidth - width, how.view.width);
        if (wide > 0) wrong.push(`${name}: ${wide} px too wide`);
        await person.page.evaluate(() => scrollTo(0, 0));
        if (folder) await person.page.screenshot({ path: join(folder, `${name}-${view}.png`), fullPage: true });
      }
      same(wrong, [], "axe");
      same(person.page.faults, [], "faults");
      await person.leave();
    });
  }
}
