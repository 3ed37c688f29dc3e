// A hub of its own, the sources behind it, an agent with a key, and the person's terminal.
import { spawn } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { guarded } from "./guarded.mjs";
import { send } from "./send.mjs";

const REVISION = "2026-07-28";

export class Hub {
  constructor(binary, tools, folder, ends) {
    Object.assign(this, { binary, tools, ends });
    this.home = join(folder, "home");
    // What pages show of a source is its command line: names from here, no paths of a machine.
    this.work = join(folder, "work");
    this.bin = join(folder, "bin");
    for (const made of [this.work, this.bin, join(this.work, "notes"), join(this.work, "notes", "daily")]) mkdirSync(made);
    symlinkSync(binary, join(this.bin, "issue-tracker"));
    const servers = join(tools, "npm", "node_modules", ".bin");
    symlinkSync(join(servers, "mcp-server-filesystem"), join(this.bin, "notes-server"));
    symlinkSync(join(servers, "mcp-server-everything"), join(this.bin, "everything-server"));
  }

  async start() {
    const path = `${this.bin}:${join(this.tools, "node", "node_modules", ".bin")}:${process.env.PATH}`;
    const args = ["--home", this.home, "--json", "hub", "start", "--port", String(this.port ?? 0)];
    const env = { ...process.env, PATH: path };
    if (this.desktop) env.DISPLAY = ":0";
    else args.push("--no-browser");
    this.process = spawn(this.binary, args, { stdio: ["ignore", "pipe", "pipe"], env });
    this.process.stderr.on("data", (data) => { this.log = `${this.log ?? ""}${data}`.slice(-20_000); });
    this.ends.push(() => this.process.kill("SIGKILL"));
    const line = await new Promise((yes, no) => {
      this.process.stdout.once("data", yes);
      this.process.once("exit", () => no(new Error(`the hub did not start: ${this.log}`)));
    });
    this.port = Number(new URL(JSON.parse(String(line)).urls[0]).port);
    this.origin = `http://127.0.0.1:${this.port}`;
    this.key = readFileSync(join(this.home, "local.key"), "utf8").trim();
  }

  /// Lets it believe in a desktop; what the desktop was asked for, a line each.
  onDesktop() {
    this.desktop = join(this.work, "desktop.txt");
    for (const name of ["xdg-open", "notify-send"]) {
      writeFileSync(join(this.bin, name), `#!/bin/sh\necho "${name} $*" >> "${this.desktop}"\n`, { mode: 0o755 });
    }
  }

  asked() {
    return existsSync(this.desktop) ? readFileSync(this.desktop, "utf8").trim().split("\n") : [];
  }

  /// Ends it as a power cut would, and starts it again on the same port. `meanwhile`: on its folder.
  async restart(meanwhile = () => {}) {
    const ended = new Promise((done) => this.process.once("exit", done));
    this.process.kill("SIGKILL");
    await ended;
    try {
      await meanwhile();
    } finally {
      await this.start();
    }
  }

  async connectSources() {
    const tracker = ["sample-server", "--state", "issues.json", "--calls", "calls.jsonl"];
    await this.addCommand("tracker", "issue-tracker", tracker);
    await this.addCommand("notes", "notes-server", ["notes"]);
    await this.addCommand("everything", "everything-server", []);
    this.guarded = await guarded(this.tools, this.ends);
    await this.add("calendar", { kind: "http", url: this.guarded.url });
    await this.addCommand("broken", "no-such-program", ["--serve"]);
  }

  addCommand(name, command, args) {
    return this.add(name, { kind: "stdio", command, args, env: {}, cwd: this.work });
  }

  async add(name, transport) {
    let { view } = await this.api("sources/add", { source: { name, transport, trusted: true } });
    // A server may need its time to come up.
    for (let again = 0; view.problem && name !== "broken" && again < 5; again++) {
      ({ view } = await this.api("sources/refresh", { name }));
    }
    if (view.problem && name !== "broken") throw new Error(`${name}: ${view.problem}`);
    return view;
  }

  /// The person's own commands reach the hub this way.
  async api(path, body = {}) {
    const answer = await send({ socketPath: join(this.home, "run", "hub.sock"), path: `/api/${path}`, method: "POST" }, JSON.stringify(body));
    if (answer.status !== 200) throw new Error(`${path}: ${answer.status} ${answer.body}`);
    return JSON.parse(answer.body);
  }

  /// A file that forwards a browser to a run's page, or to the inbox.
  open(run) {
    return this.api("hub/open", run ? { run } : {});
  }

  rule(pattern, decision, more = {}) {
    return this.api("policy/set", { rule: { pattern, decision, ...more }, who: "the browser test" });
  }

  /// Calls of the tracker's tools that really arrived there.
  calls(tool) {
    const file = join(this.work, "calls.jsonl");
    const lines = existsSync(file) ? readFileSync(file, "utf8").trim().split("\n").filter(Boolean) : [];
    return lines.map((line) => JSON.parse(line)).filter((call) => !tool || call.tool === tool);
  }

  note(name) {
    const file = join(this.work, "notes", name);
    return existsSync(file) ? readFileSync(file, "utf8") : undefined;
  }

  writeNote(name, text) {
    writeFileSync(join(this.work, "notes", name), text);
  }

  /// A tool call of an agent; the whole result.
  async call(tool, args, key = this.key) {
    const _meta = {
      "io.modelcontextprotocol/protocolVersion": REVISION,
      "io.modelcontextprotocol/clientCapabilities": {},
      "io.modelcontextprotocol/clientInfo": { name: "test", version: "1" },
    };
    const params = { name: tool, arguments: args, _meta };
    const headers = {
      authorization: `Bearer ${key}`, "content-type": "application/json",
      accept: "application/json, text/event-stream", "mcp-protocol-version": REVISION,
      "mcp-method": "tools/call", "mcp-name": tool,
    };
    const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params });
    const answer = await asAgent({ host: "127.0.0.1", port: this.port, path: "/mcp", method: "POST", headers }, body);
    if (answer.status !== 200) throw new Error(`${tool}: ${answer.status} ${answer.body}`);
    const events = answer.body.split("\n").filter((line) => line.startsWith("data:") && line.includes("jsonrpc"));
    const message = JSON.parse(events.length > 0 ? events.at(-1).slice(5) : answer.body);
    if (message.error) throw new Error(`${tool}: ${JSON.stringify(message.error)}`);
    this.lastAnswer = answer.body;
    return message.result;
  }

  /// Runs a program; its envelope.
  async execute(code, key) {
    return this.rested({ code }, key);
  }

  async resume(run, key) {
    return this.rested({ resume: run }, key);
  }

  /// Its envelope once it rests; the hub answers `running` where that takes long.
  async rested(args, key) {
    const envelope = (await this.call("execute", args, key)).structuredContent;
    return envelope.status === "running" ? this.rested({ resume: envelope.runId }, key) : envelope;
  }

  /// A program that is expected to wait; its run id.
  async waits(code, status = "awaiting_approval", key) {
    const envelope = await this.execute(code, key);
    if (envelope.status !== status) throw new Error(`expected ${status}: ${JSON.stringify(envelope)}`);
    return envelope.runId;
  }
}

/// The same request, sent by the agent's process.
function asAgent(options, body) {
  agent ??= started();
  return new Promise((yes, no) => {
    waiting.set(++asked, { yes, no });
    agent.channel.ref();
    agent.send({ n: asked, options, body });
  });
}

let agent;
let asked = 0;
const waiting = new Map();

/// It ends with this process, and does not keep it. A shell stands in between: the hub takes one
/// Node below another for the same application, and this one is the person.
function started() {
  const agent = fileURLToPath(new URL("./agent.mjs", import.meta.url));
  const line = ["-c", '"$0" "$@"; exit', process.execPath, "--no-warnings", agent];
  const child = spawn("sh", line, { stdio: ["ignore", "inherit", "inherit", "ipc"] });
  child.on("message", ({ n, answer, error }) => {
    const { yes, no } = waiting.get(n);
    waiting.delete(n);
    if (error) no(new Error(error));
    else yes(answer);
    if (waiting.size === 0) child.channel.unref();
  });
  child.unref();
  return child;
}
