// The four choices, groups, second tabs, other channels, and what comes too late.
import { DatabaseSync } from "node:sqlite";
import { join } from "node:path";
import { check, reach, same, until } from "../chromium.mjs";

const del = (number, note) => `return await tracker.deleteIssue({ number: ${number} }); // ${note}`;

/// Issues to delete, made by a program of its own.
async function issues(hub, count) {
  const made = await hub.execute(`const made = [];
for (let i = 0; i < ${count}; i++) made.push((await tracker.createIssue({ title: "issue " + Math.random() })).number);
return made;`);
  return made.result;
}

export async function deciding({ hub, chromium, behaves }) {
  const deleted = (number) => hub.calls("delete_issue").filter((call) => call.arguments.number === number).length;

  await behaves("allowed once: the call is made once, and the page says so by itself", async () => {
    const [number] = await issues(hub, 1);
    const run = await hub.waits(del(number, "once"));
    check(!hub.lastAnswer.includes("/p/") && !hub.lastAnswer.includes("/enter/"), "an address reached the agent");
    const person = await chromium.person(hub);
    await person.go("");
    await person.follow({ selector: `a[href$="runs/${run}"]` });
    const text = await person.text();
    for (const shown of [`number: ${number}`, "issue-tracker sample-server", "waits here", "made in line 1", "Allow once", "Allow for this run", "Always allow…", "Deny"]) {
      check(text.includes(shown), `${shown} in ${text}`);
    }
    await person.press("Allow once");
    check((await person.text()).includes("Decided."), "it says so");
    same(deleted(number), 0, "before the agent asks");
    const done = await hub.resume(run);
    same([done.status, deleted(number)], ["completed", 1], "after");
    await until(async () => (await person.text()).includes("Its result"), "the page shows the end");
    await hub.resume(run);
    same(deleted(number), 1, "again");
    same(person.page.faults, [], "faults");
    await person.leave();
  });

  await behaves("let go on from the page: the agent finds the result", async () => {
    const [number] = await issues(hub, 1);
    const run = await hub.waits(del(number, "go on"));
    const person = await chromium.person(hub, run);
    await person.press("Allow once");
    await person.press("Go on now");
    await until(() => deleted(number) === 1, "it is sent");
    await until(async () => (await person.text()).includes("Its result"), "the page shows the end");
    same((await hub.resume(run)).status, "completed");
    same(deleted(number), 1, "once");
    await person.leave();
  });

  await behaves("denied: nothing is sent, and the program is told", async () => {
    const run = await hub.waits(`try { await tracker.deleteIssue({ number: 2 }) } catch (e) { return e.code } // deny`);
    const person = await chromium.person(hub, run);
    await person.press("Deny");
    check((await person.text()).includes("Denied"), "it says so");
    same((await hub.resume(run)).result, "denied");
    same(deleted(2), 0);
    await person.leave();
  });

  await behaves("a loop is one group: allow these 12, one of them alone", async () => {
    const numbers = await issues(hub, 13);
    const run = await hub.waits(`return await Promise.allSettled(${JSON.stringify(numbers)}.map((number) =>
  tracker.deleteIssue({ number })));`);
    const person = await chromium.person(hub, run);
    check((await person.text()).includes("Allow these 13"), "grouped");
    await person.follow({ selector: `tr:has(button[value^="deny:"]):nth-of-type(3) button[value^="deny:"]` });
    await person.press("Allow these 12");
    const done = await hub.resume(run);
    same(done.status, "completed", JSON.stringify(done));
    same(numbers.map(deleted), numbers.map((_, at) => (at === 2 ? 0 : 1)));
    await person.leave();
  });

  await behaves("allowed for this run: its other calls go, another run asks", async () => {
    const numbers = await issues(hub, 3);
    const run = await hub.waits(`for (const number of [${numbers[0]}, ${numbers[1]}]) await tracker.deleteIssue({ number });
return "both";`);
    const person = await chromium.person(hub, run);
    await person.press("Allow for this run");
    same((await hub.resume(run)).result, "both");
    same(numbers.map(deleted), [1, 1, 0]);
    const other = await hub.waits(del(numbers[2], "another run"));
    await hub.api("runs/cancel", { id: other, by: "the browser test" });
    await person.leave();
  });

  await behaves("what is to be confirmed wants a tick, each call alone", async () => {
    const numbers = await issues(hub, 2);
    const rule = await hub.rule("tracker.deleteIssue", "confirm");
    const run = await hub.waits(`return await Promise.all(${JSON.stringify(numbers)}.map((number) => tracker.deleteIssue({ number })));`);
    const person = await chromium.person(hub, run);
    const text = await person.text();
    check(!text.includes("Allow these") && !text.includes("Always") && !text.includes("for this run"), text);
    await reach(person.page, { selector: "button", words: "Allow once" }, "click");
    same(await person.page.url(), person.url, "the browser asks for the tick");
    for (const _ of numbers) {
      await reach(person.page, { selector: "input[name=sure]" }, "click");
      await person.press("Allow once");
    }
    same((await hub.resume(run)).status, "completed");
    same(numbers.map(deleted), [1, 1]);
    await hub.api("policy/unset", { id: rule.id, who: "the browser test" });
    await person.leave();
  });

  await behaves("a second tab and a terminal: the first decision holds, and every tab learns it", async () => {
    const [number, later] = await issues(hub, 2);
    const run = await hub.waits(del(number, "tabs"));
    const person = await chromium.person(hub, run);
    const still = await person.tab({ script: false });
    const live = await person.tab();
    await person.goRun(run, still);
    await person.goRun(run, live);
    await person.press("Deny");
    await live.bringToFront();
    await until(async () => !(await person.text(live)).includes("Allow once"), "the live tab");
    await still.bringToFront();
    await person.press("Allow once", still);
    check((await person.text(still)).includes("Somebody was first"), "the other tab is told");
    same((await hub.resume(run)).error?.code, "denied");
    same(deleted(number), 0);

    const second = await hub.waits(del(later, "terminal"));
    await person.goRun(second, live);
    const [waiting] = await hub.api("waiting/list", { run: second });
    await hub.api("waiting/decide", { pending: waiting.pending.id, choice: { choice: "allow_once" }, by: "tty7 (bash 1)" });
    await until(async () => (await person.text(live)).includes("in a terminal: tty7"), "who decided");
    await hub.resume(second);
    same(deleted(later), 1);
    await person.leave();
  });

  await behaves("expired: nothing is sent, and the page says why", async () => {
    const [number] = await issues(hub, 1);
    const run = await hub.waits(del(number, "expired"));
    // A day passes: what the store holds is made older while no hub runs.
    await hub.restart(() => {
      const db = new DatabaseSync(join(hub.home, "store", "hub.db"));
      const rows = db.prepare("SELECT seq, body FROM pendings WHERE decision IS NULL").all();
      for (const { seq, body } of rows) {
        const pending = JSON.parse(body);
        if (pending.run !== run) continue;
        const old = { ...pending, created_at: pending.created_at - 90_000_000, expires_at: pending.created_at - 3_600_000 };
        db.prepare("UPDATE pendings SET body = ? WHERE seq = ?").run(JSON.stringify(old), seq);
      }
      db.close();
    });
    const person = await chromium.person(hub, run);
    if ((await person.text()).includes("Allow once")) {
      await person.press("Allow once");
      check((await person.text()).includes("Too late"), "it says so");
    }
    const ended = await hub.resume(run);
    same([ended.status, ended.error?.code], ["cancelled", "approval_expired"]);
    await person.goRun(run);
    check((await person.text()).includes("nobody decided in time"), await person.text());
    same(deleted(number), 0);
    await person.leave();
  });

  await behaves("without JavaScript: the page reloads by itself, and decides", async () => {
    const [number] = await issues(hub, 1);
    const person = await chromium.person(hub, undefined, { script: false });
    const run = await hub.waits(del(number, "no script"));
    // The inbox may be loading anew at the very moment of the click.
    await until(async () => {
      if (!person.page.url().endsWith(`runs/${run}`)) await person.follow({ selector: `a[href$="runs/${run}"]` });
      return person.page.url().endsWith(`runs/${run}`);
    }, "the inbox shows it");
    await person.press("Allow once");
    same([(await hub.resume(run)).status, deleted(number)], ["completed", 1]);
    await person.leave();
  });

  await behaves("with the keyboard alone", async () => {
    const [number] = await issues(hub, 1);
    const run = await hub.waits(del(number, "keyboard"));
    const person = await chromium.person(hub, run);
    const at = () => person.page.evaluate(() => document.activeElement?.innerText?.trim());
    await person.page.keyboard.press("Tab");
    same(await at(), "To the content", "the first stop");
    for (let stop = 0; stop < 40 && (await at()) !== "Allow once"; stop++) await person.page.keyboard.press("Tab");
    same(await at(), "Allow once");
    await person.leads(() => person.page.keyboard.press("Enter"));
    await hub.resume(run);
    same(deleted(number), 1);
    await person.leave();
  });

  await behaves("a run is ended for good", async () => {
    const [number] = await issues(hub, 1);
    const run = await hub.waits(del(number, "end"));
    const person = await chromium.person(hub, run);
    await person.press("End this run for good");
    same((await hub.resume(run)).status, "cancelled");
    same(deleted(number), 0);
    check(!(await person.text()).includes("Allow once"), "nothing to decide");
    await person.leave();
  });
}
