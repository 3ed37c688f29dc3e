// "Always": written narrow, shown back, holding next time, and taken back on the rules' page.
import { check, same } from "../chromium.mjs";

const write = (path, note) => `return await notes.writeFile({ path: "${path}", content: "${note}" });`;

export async function always({ hub, chromium, behaves }) {
  await behaves("always, narrowed to a folder: holds there, also after a restart, and asks elsewhere", async () => {
    const run = await hub.waits(write("daily/monday.md", "one"));
    const person = await chromium.person(hub, run);
    await person.open("Always allow");
    const select = await person.page.$("select[name='narrow:/path']");
    const words = await select.evaluate((it) => [...it.options].map((option) => option.text));
    check(words.includes("is a path under daily"), words);
    await select.select("under:0");
    await person.press("Always allow this");
    const said = await person.text();
    check(said.includes("from now on this rule holds") && said.includes("only where /path under daily"), said);
    same((await hub.resume(run)).status, "completed");
    same(hub.note("daily/monday.md"), "one");

    same((await hub.execute(write("daily/tuesday.md", "two"))).status, "completed", "the next run");
    await hub.restart();
    same((await hub.execute(write("daily/wednesday.md", "three"))).status, "completed", "after a restart");
    const elsewhere = await hub.waits(write("private.md", "four"));
    await hub.api("runs/cancel", { id: elsewhere, by: "the browser test" });
    same(hub.note("private.md"), undefined);
    await person.leave();
  });

  await behaves("a rule is narrowed and taken back on its page", async () => {
    const person = await chromium.person(hub);
    await person.go("rules");
    check((await person.text()).includes("notes.writeFile"), await person.text());
    await person.open("Allow less");
    await person.fill("input[name=argument]", "content");
    await person.fill("input[name=value]", "harmless");
    await person.press("Allow only this");
    check((await person.text()).includes("/content is \"harmless\""), await person.text());
    same((await hub.execute(write("daily/a.md", "harmless"))).status, "completed");
    const other = await hub.waits(write("daily/b.md", "other"));
    await person.go("rules");
    await person.press("Take back");
    check((await person.text()).includes("No rules yet"), await person.text());
    const asks = await hub.waits(write("daily/c.md", "harmless"));
    for (const id of [other, asks]) await hub.api("runs/cancel", { id, by: "the browser test" });
    await person.leave();
  });

  await behaves("an address is explained, and what is misspelt finds its neighbours", async () => {
    const person = await chromium.person(hub);
    await person.go("rules");
    await person.fill("#address", "tracker.deleteIssue");
    await person.press("Explain");
    check((await person.text()).includes("asks you"), await person.text());
    await person.fill("#address", "tracker.deleteIsue");
    await person.press("Explain");
    check((await person.text()).includes("closest: tracker.deleteIssue"), await person.text());
    await person.leave();
  });
}
