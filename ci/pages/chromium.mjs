// The browser: one process, a private window for each behaviour.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const load = createRequire(join(here, "..", "..", ".tools", "npm", "package.json"));
const puppeteer = load("puppeteer-core").default ?? load("puppeteer-core");
const AXE = readFileSync(load.resolve("axe-core/axe.min.js"), "utf8");

const FLAGS = [
  "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
  "--disable-component-update", "--disable-sync", "--disable-default-apps", "--no-default-browser-check",
  "--disable-dev-shm-usage", "--font-render-hinting=none", "--hide-scrollbars", "--lang=en-GB",
];

/// How long anything may take to come about, on the busiest machine.
export const PATIENCE_MS = 90_000;

export const WIDE = { width: 1200, height: 800 };
export const PHONE = { width: 390, height: 844, isMobile: true, hasTouch: true };

export class Chromium {
  static async launch(executablePath, folder, ends) {
    const chromium = new Chromium();
    chromium.browser = await puppeteer.launch({
      executablePath, args: FLAGS, headless: true, userDataDir: join(folder, "profile"),
      env: { ...process.env, TZ: "UTC", HOME: folder, XDG_CONFIG_HOME: folder, XDG_CACHE_HOME: folder },
      timeout: PATIENCE_MS, protocolTimeout: 2 * PATIENCE_MS, handleSIGINT: false, handleSIGTERM: false, handleSIGHUP: false,
    });
    const { pid } = chromium.browser.process();
    ends.push(() => process.kill(pid, "SIGKILL"));
    return chromium;
  }

  close() {
    return this.browser.close();
  }

  /// A private window that came in through a forwarding file, as a person's browser does.
  async person(hub, run, how = {}) {
    const window = await this.browser.createBrowserContext();
    const person = new Person(window, hub);
    await person.comeIn(run, how);
    return person;
  }
}

/// Somebody at a browser.
export class Person {
  constructor(window, hub) {
    Object.assign(this, { window, hub });
  }

  async comeIn(run, { script = true, view = WIDE, dark = false } = {}) {
    this.page = await this.tab({ script, view, dark });
    const file = await this.hub.open(run);
    await this.page.goto(pathToFileURL(file).href);
    await this.page.waitForFunction(() => location.pathname.startsWith("/p/"), { timeout: PATIENCE_MS });
    await this.page.waitForSelector("footer");
    this.url = this.page.url();
    this.base = this.url.slice(0, this.url.indexOf("/", this.hub.origin.length + 3) + 1);
  }

  /// Another tab of the same window.
  async tab({ script = true, view = WIDE, dark = false } = {}) {
    const page = await this.window.newPage();
    page.setDefaultTimeout(PATIENCE_MS);
    page.faults = [];
    page.on("pageerror", (error) => page.faults.push(String(error)));
    page.on("dialog", (dialog) => { page.faults.push(`dialog: ${dialog.message()}`); dialog.dismiss(); });
    page.on("console", (said) => {
      if (said.type() === "error") page.faults.push(said.text());
    });
    await page.setJavaScriptEnabled(script);
    await page.setViewport(view);
    await page.emulateMediaFeatures([{ name: "prefers-color-scheme", value: dark ? "dark" : "light" }]);
    return page;
  }

  /// Goes to a page below the session's own path.
  go(to, page = this.page) {
    return page.goto(`${this.base}${to}`);
  }

  goRun(run, page) {
    return this.go(`runs/${run}`, page);
  }

  /// Presses a button by its words and waits for the page that follows.
  press(words, page = this.page) {
    return this.follow({ selector: "button", words }, page);
  }

  /// Clicks what `looked` finds (see `reach`) and waits until another document is there, also
  /// where no script runs.
  async follow(looked, page = this.page) {
    await reach(page, looked, "follow");
    await this.next(page);
  }

  /// Does `work`, and waits until another document is there.
  async leads(work, page = this.page) {
    await page.evaluate(() => { document.documentElement.dataset.before = "yes"; });
    await work();
    await this.next(page);
  }

  next(page) {
    return until(async () => {
      const state = await page.evaluate(() => [document.readyState, document.documentElement.dataset.before ?? ""]);
      return state[0] === "complete" && state[1] === "";
    }, `a page after ${page.url()}`);
  }

  /// Opens what is folded under these words.
  open(words, page = this.page) {
    return reach(page, { selector: "summary", words }, "open");
  }

  /// Types into a field. The page leaves a field alone that has the focus; until it has, the
  /// page may put another in its place.
  async fill(selector, text, page = this.page) {
    await until(async () => {
      await page.$eval(selector, (it) => { it.focus(); it.value = ""; });
      await page.keyboard.type(text);
      return await page.$eval(selector, (it) => it.value) === text;
    }, `${selector} holds what was typed`);
  }

  text(page = this.page) {
    return page.$eval("main", (main) => main.innerText);
  }

  async leave() {
    await this.window.close();
  }
}

/// Clicks ("click", or "follow" where another page comes of it) or unfolds ("open") the first
/// visible element that `selector` finds and whose text begins with `words`, once there is one.
/// Found and used in one step: pages that stay true by themselves replace their elements, and a
/// click at a place may meet another.
export async function reach(page, { selector, words = "" }, act) {
  await page.bringToFront();
  await until(() => page.evaluate((selector, words, act) => {
    const says = (it) => it.innerText.replace(/\s+/g, " ").trim().startsWith(words);
    const found = [...document.querySelectorAll(selector)].find((it) => says(it) && it.checkVisibility({ visibilityProperty: true }));
    if (!found) return false;
    found.scrollIntoView({ block: "center", behavior: "instant" });
    const box = found.getClientRects()[0];
    const top = document.elementFromPoint(box.x + box.width / 2, box.y + box.height / 2);
    // A person could not click what lies under something else.
    if (!found.contains(top)) return false;
    if (act === "follow") document.documentElement.dataset.before = "yes";
    if (act === "open") found.parentElement.open = true;
    else found.click();
    return true;
  }, selector, words, act), `a ${selector} that says ${JSON.stringify(words)} on ${page.url()}`);
}

/// What axe finds wrong with a page, in words.
export async function faults(page) {
  await hold(page);
  await page.evaluate(AXE);
  const found = await page.evaluate(async () => {
    const tags = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];
    const { violations } = await axe.run(document, { runOnly: { type: "tag", values: tags } });
    return violations.map((it) => `${it.id}: ${it.nodes.map((node) => `${node.target.join(" ")} ${node.any.map((a) => a.message).join("; ")}`).slice(0, 3).join(" | ")}`);
  });
  return found;
}

/// Keeps a page as it is until the next one: it replaces nothing while somebody marks text.
export async function hold(page) {
  await page.evaluate(() => { document.getSelection = () => "held"; });
}

/// Throws unless it holds.
export function check(holds, say) {
  if (!holds) throw new Error(typeof say === "string" ? say : JSON.stringify(say));
}

export function same(got, wanted, say = "") {
  const [a, b] = [JSON.stringify(got), JSON.stringify(wanted)];
  if (a !== b) throw new Error(`${say} got ${a}, wanted ${b}`);
}

/// Looks again and again until it holds. What cannot be looked at just now, such as a page on its
/// way, does not hold yet.
export async function until(holds, say) {
  const end = Date.now() + PATIENCE_MS;
  for (;;) {
    let wrong = "";
    try {
      if (await holds()) return;
    } catch (error) {
      wrong = `: ${error}`;
    }
    if (Date.now() > end) throw new Error(`never: ${say}${wrong}`);
    await new Promise((done) => setTimeout(done, 50));
  }
}
