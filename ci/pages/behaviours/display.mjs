// Text that wants to be something else, in a real browser.
import { check, same } from "../chromium.mjs";

const ATTACKS = [
  `"><img src=x onerror="alert(1)"><script>alert(2)</script>`,
  `' onmouseover='alert(3)' x='`,
  `</pre></td></table></main><form action="https://evil.example"><button>Allow once</button></form>`,
  `javascript:alert(4)`,
  `[click](javascript:alert(5)) ![i](http://evil.example/p.png)`,
  `abc\u202etxt.exe\u2066\u200b\u200d\ufeff`,
  `\u001b[2J\u001b]0;owned\u0007`,
  `<style>*{display:none}</style><svg onload=alert(6)>`,
  `{{constructor.constructor("alert(7)")()}}`,
  "long ".repeat(3000),
];
const SECRET = ["ghp", "0123456789abcdefghijABCDEFGHIJ456789"].join("_");

export async function display({ hub, chromium, behaves }) {
  await behaves("hostile arguments and code stay text", async () => {
    await hub.rule("tracker.commentOnIssue", "ask", { note: ATTACKS[0] });
    const run = await hub.waits(`// ${ATTACKS[0]} ${ATTACKS[5]}
return await Promise.all(${JSON.stringify(ATTACKS)}.map((text) => tracker.commentOnIssue({ number: 1, text })));`);
    const person = await chromium.person(hub, run);
    const asked = [];
    person.page.on("request", (request) => asked.push(request.url()));
    for (const to of [`runs/${run}`, "", "rules", "sources", "runs"]) {
      await person.go(to);
      const found = await person.page.evaluate(() => ({
        odd: document.querySelectorAll("main img, main script, main style, main svg, main iframe, main [onerror], main [onmouseover], main [onload]").length,
        out: [...document.querySelectorAll("a[href], form[action]")].map((it) => it.href ?? it.action).filter((url) => !url.startsWith(location.origin)),
        hidden: /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]/.exec(document.body.textContent)?.[0],
      }));
      same(found, { odd: 0, out: [] }, to);
    }
    check(asked.every((url) => url.startsWith(hub.origin)), asked);
    same(person.page.faults, [], "faults");
    await hub.api("runs/cancel", { id: run, by: "the browser test" });
    await person.leave();
  });

  await behaves("a secret among the arguments is hidden, named, and shown only when asked for", async () => {
    const run = await hub.waits(`return await tracker.commentOnIssue({ number: 1, text: "token " + ["ghp", "0123456789abcdefghijABCDEFGHIJ456789"].join("_") });`);
    const person = await chromium.person(hub, run);
    const text = await person.text();
    check(!text.includes(SECRET) && /GitHub token, 40 characters, goes to tracker.commentOnIssue/.test(text), text);
    await person.follow({ selector: "a[href^='?open=']" });
    check((await person.text()).includes(SECRET), "opened");
    await hub.api("runs/cancel", { id: run, by: "the browser test" });
    const [rule] = (await hub.api("policy/list")).filter((one) => one.pattern === "tracker.commentOnIssue");
    await hub.api("policy/unset", { id: rule.id, who: "the browser test" });
    await person.leave();
  });
}
