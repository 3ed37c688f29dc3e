// Who gets in, and what a page from elsewhere can do.
import { createServer } from "node:http";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { check, same, until } from "../chromium.mjs";
import { Hub } from "../hub.mjs";
import { send } from "../send.mjs";

const PROGRAM = "return await tracker.deleteIssue({ number: 1 });";

export async function access({ hub, chromium, behaves, folder, ends }) {
  await behaves("a forwarding file opens the way once", async () => {
    const person = await chromium.person(hub);
    check((await person.text()).includes("Waiting for you"), "the inbox");
    same(person.page.faults, [], "faults");
    const file = await hub.open();
    const first = await person.tab();
    await first.goto(pathToFileURL(file).href);
    await first.waitForSelector("footer");
    const code = await fetch(`${hub.origin}/enter/00000000000000000000000000000000`);
    same(code.status, 403, "a made-up code");
    await person.leave();
  });

  await behaves("a server on another port never sees the cookie, nor where the person was", async () => {
    const seen = [];
    const other = createServer((asked, answer) => {
      seen.push({ path: asked.url, cookie: asked.headers.cookie, referer: asked.headers.referer });
      answer.setHeader("content-type", "text/html").end("<!doctype html><title>other</title><p>other</p>");
    });
    await new Promise((listens) => other.listen(0, "127.0.0.1", listens));
    const origin = `http://127.0.0.1:${other.address().port}`;
    const run = await hub.waits(`${PROGRAM} // access`);
    const person = await chromium.person(hub, run);
    const cookies = await person.window.cookies();
    check(cookies.some((one) => one.name === "hub" && one.httpOnly && one.path.startsWith("/p/")), cookies);
    for (const to of ["/", "/p/", "/assets/style.css", "/mcp", "/p/00000000000000000000000000000000/"]) {
      const tab = await person.tab();
      await tab.goto(`${origin}${to}`);
      await tab.close();
      await person.page.evaluate((url) => { location.href = url; }, `${origin}${to}`);
      await person.page.waitForFunction((o) => location.origin === o, {}, origin);
      await person.page.goto(person.url);
    }
    other.close();
    const visits = seen.filter((one) => one.path !== "/favicon.ico");
    check(visits.length >= 10, seen);
    check(seen.every((one) => one.cookie === undefined && !one.referer?.startsWith(hub.origin)), seen);
    await person.leave();
  });

  await behaves("a page of another origin can neither read, frame nor decide", async () => {
    const run = await hub.waits(`${PROGRAM} // foreign`);
    const person = await chromium.person(hub, run);
    const fields = await person.page.$eval("form[action$=decide]", (form) => [...form.querySelectorAll("input[type=hidden]")].map((it) => [it.name, it.value]));
    const form = new URLSearchParams([...fields, ["choice", "once"]]).toString();
    const action = `${person.url}/decide`;
    const evil = createServer((asked, answer) => {
      // It knows even what nobody tells it: the path and the token.
      const inputs = [...fields, ["choice", "once"]].map(([name, value]) => `<input name="${name}" value="${value}">`).join("");
      answer.setHeader("content-type", "text/html").end(`<!doctype html><title>evil</title><form id=f method=post action="${action}">${inputs}</form><iframe id=i src="${person.url}"></iframe>`);
    });
    await new Promise((listens) => evil.listen(0, "127.0.0.1", listens));
    const tab = await person.tab();
    await tab.goto(`http://127.0.0.1:${evil.address().port}/`);
    const read = await tab.evaluate((url) => fetch(url, { credentials: "include" }).then((it) => it.text()).catch(() => "refused"), person.url);
    same(read, "refused", "reading");
    const framed = tab.frames().find((frame) => frame.url() === person.url);
    check(!framed || !(await framed.content()).includes("deleteIssue"), "framing");
    await Promise.all([tab.waitForNavigation(), tab.$eval("#f", (it) => it.submit())]);
    check(!(await tab.content()).includes("Decided"), "the form of another origin");
    evil.close();

    const cookie = (await person.window.cookies()).map((one) => `${one.name}=${one.value}`).join("; ");
    const headers = { host: `127.0.0.1:${hub.port}`, cookie, origin: hub.origin, "sec-fetch-site": "same-origin", "content-type": "application/x-www-form-urlencoded" };
    const path = new URL(action).pathname;
    const post = (change, body = form) => send({ host: "127.0.0.1", port: hub.port, path, method: "POST", headers: { ...headers, ...change } }, body);
    for (const [what, change, body] of [
      ["another port", { origin: "http://127.0.0.1:1" }],
      ["an opaque origin", { origin: "null" }],
      ["another site", { "sec-fetch-site": "cross-site" }],
      ["no cookie", { cookie: "" }],
      ["the agent's key", { cookie: "", authorization: `Bearer ${hub.key}` }],
      ["another host name", { host: `localhost:${hub.port}` }],
      ["no token", {}, form.replace(/csrf=[^&]*/, "csrf=")],
      ["a made-up token", {}, form.replace(/csrf=[^&]*/, "csrf=0123456789abcdef0123456789abcdef")],
    ]) {
      const answer = await post(change, body);
      check([403, 404].includes(answer.status), `${what}: ${answer.status}`);
    }
    same((await hub.api("waiting/list", { run })).length, 1, "still open");
    same(hub.calls("delete_issue").length, 0, "nothing was sent");
    same((await post({})).status, 303, "the page's own form");
    await person.leave();
  });

  await behaves("a run that waits opens its page and tells the desktop, which learns nothing of it", async () => {
    const own = join(folder, "desktop");
    mkdirSync(own);
    const other = new Hub(hub.binary, hub.tools, own, ends);
    other.onDesktop();
    await other.start();
    await other.addCommand("tracker", "issue-tracker", ["sample-server"]);
    const run = await other.waits("return await tracker.deleteIssue({ number: 1 }); // top secret");
    await until(() => other.asked().length === 2, "both");
    const [opened, told] = other.asked().sort().reverse();
    check(/^xdg-open \/.*open-[0-9a-f]{12}\.html$/.test(opened), opened);
    same(told, "notify-send --app-name Capabilities Capabilities A program waits for your decision. Its page opens in your browser.");
    const tab = await chromium.browser.newPage();
    await tab.goto(pathToFileURL(opened.split(" ")[1]).href);
    await tab.waitForSelector("footer");
    check(tab.url().endsWith(`/runs/${run}`), tab.url());
    await tab.close();
    await other.execute("return await tracker.deleteIssue({ number: 2 });");
    await until(() => other.asked().length === 4, "once for each run that waits");
    writeFileSync(join(other.home, "limits.toml"), "desktop_notice = false\n");
    await other.restart();
    await other.waits("return await tracker.deleteIssue({ number: 3 });");
    await until(() => other.asked().length === 5, "the page alone");
    check(other.asked()[4].startsWith("xdg-open"), other.asked());
  });

  await behaves("every page has a strict policy and no fault of its own", async () => {
    const person = await chromium.person(hub);
    for (const to of ["", "runs", "sources", "rules", "clients"]) {
      const answer = await person.go(to);
      const policy = answer.headers()["content-security-policy"];
      check(policy.startsWith("default-src 'none'") && !policy.includes("unsafe"), policy);
      same(answer.headers()["cache-control"], "no-store", to);
    }
    same(person.page.faults, [], "faults");
    await person.leave();
  });
}
