// A library that runs programs becomes an MCP server on standard input and output: three methods,
// nothing that could cost time. `tool` is its one tool, `run` gets the code and gives {isError, text}.
import readline from "node:readline";

export function serve(tool, run, close) {
  const answer = (id, result) => process.stdout.write(JSON.stringify({ jsonrpc: "2.0", id, result }) + "\n");
  const lines = readline.createInterface({ input: process.stdin });
  lines.on("line", async (line) => {
    const { id, method, params } = JSON.parse(line);
    if (id === undefined) return;
    if (method === "initialize") {
      const serverInfo = { name: tool.name, version: "0" };
      answer(id, { protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo });
    } else if (method === "tools/list") {
      answer(id, { tools: [tool] });
    } else if (method === "tools/call") {
      const { isError, text } = await run(params.arguments.code);
      answer(id, { isError, content: [{ type: "text", text }] });
    } else {
      answer(id, {});
    }
  });
  lines.on("close", async () => {
    await close?.();
    process.exit(0);
  });
}

/** The command of the upstream, as the bench gives it. */
export const upstream = () => JSON.parse(process.env.BENCH_UPSTREAM);

/** Resolves a package from the folder in which the bench installed the peers. */
export const from = (resolve) => (name) => import(resolve(name));
