// Sources and their tools, a credential typed where it belongs, a source's question, clients.
import { check, faults, same, until } from "../chromium.mjs";
import { SECRET } from "../guarded.mjs";

export async function sources({ hub, chromium, behaves }) {
  await behaves("sources are shown with their state, tools and policy", async () => {
    const person = await chromium.person(hub);
    const broken = (await hub.api("sources/list")).find((view) => view.source.name === "broken");
    await person.go(`sources/${broken.source.id}`);
    await person.press("Read its tools again");
    check((await person.text()).includes("does not answer"), await person.text());
    await person.go("sources");
    const list = await person.text();
    for (const shown of ["tracker", "connected", "5 tools", "broken", "does not answer", "issue-tracker sample-server"]) {
      check(list.includes(shown), `${shown} in ${list}`);
    }
    await person.follow({ selector: "main a", words: "tracker" });
    const page = await person.text();
    for (const shown of ["tracker.deleteIssue", "asks you", "tracker.listIssues", "goes", "may change something"]) {
      check(page.includes(shown), `${shown} in ${page}`);
    }
    await person.fill("#q", "delete");
    await person.press("Find");
    check(!(await person.text()).includes("tracker.listIssues"), "only what was looked for");
    await person.press("Read its tools again");
    check((await person.text()).includes("read again"), await person.text());
    await person.leave();
  });

  await behaves("a credential is typed on the page, opens the source, and is shown nowhere", async () => {
    hub.guarded.lock();
    const run = await hub.waits("return await calendar.listMeetings({});", "awaiting_connection");
    const person = await chromium.person(hub, run);
    check((await person.text()).includes("A credential is needed"), await person.text());
    await person.fill("input[type=password]", SECRET);
    await person.page.evaluate(() => document.activeElement.blur());
    await person.press("Connect");
    check((await person.text()).includes("Connected"), await person.text());
    const done = await hub.resume(run);
    same([done.status, hub.guarded.calls.length], ["completed", 1], JSON.stringify(done));
    const [decided] = (await hub.api("runs/show", { id: run })).pendings;
    same(decided.pending.decision.channel, "page");
    check(!hub.lastAnswer.includes(SECRET), "in the answer");
    for (const to of [`runs/${run}`, "sources", "rules", "clients", "runs"]) {
      await person.go(to);
      check(!(await person.page.content()).includes(SECRET), to);
    }
    await person.leave();
  });

  await behaves("a credential can be refused", async () => {
    const issued = await hub.api("connections/remove", { source: "calendar", name: "personal" }).then(() => true);
    check(issued, "removed");
    const run = await hub.waits("try { return await calendar.listMeetings({}) } catch (e) { return e.code }", "awaiting_connection");
    const person = await chromium.person(hub, run);
    await person.press("Refuse");
    same((await hub.resume(run)).result, "connection_required");
    await person.leave();
  });

  await behaves("a source asks while it works, and is answered on the page", async () => {
    const run = await hub.waits("return await everything.triggerElicitationRequest({});", "awaiting_input");
    const person = await chromium.person(hub, run);
    const text = await person.text();
    for (const shown of ["A question from everything.triggerElicitationRequest", "The source’s words", "Your full, legal name"]) {
      check(text.includes(shown), `${shown} in ${text}`);
    }
    same(await faults(person.page), [], "axe");
    await person.fill("input[type=text][name='answer:0:0']", "Somebody");
    await person.press("Send this answer");
    let done;
    await until(async () => (done = await hub.resume(run)).status === "completed", "it completes");
    check(JSON.stringify(done.result).includes("Somebody"), done);
    await person.leave();
  });

  await behaves("clients: how to add each, their keys taken away, and never shown", async () => {
    const issued = await hub.api("keys/issue", { client: "cursor", mode: "browser", dedupe: true });
    const person = await chromium.person(hub);
    await person.go("clients");
    const text = await person.text();
    for (const shown of ["Claude Code", "Cursor", "VS Code", "Codex", "Your own agent", "on these pages only"]) {
      check(text.includes(shown), `${shown} in ${text}`);
    }
    check(!(await person.page.content()).includes(issued.token), "the key");
    await until(() => hub.call("search", { query: "issues" }, issued.token).then(() => true), "it opens");
    await person.follow({ selector: "tr button", words: "Take away the key of cursor" });
    const refused = await hub.call("search", { query: "issues" }, issued.token).then(() => false, () => true);
    check(refused, "it still opens");
    await person.leave();
  });
}
