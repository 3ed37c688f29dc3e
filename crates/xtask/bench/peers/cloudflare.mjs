// @cloudflare/codemode in a local workerd; the program's tools reach one MCP source through a
// service binding.
import { createRequire } from "node:module";
import { serve, upstream, from } from "./wrap.mjs";

const folder = process.env.BENCH_NPM;
const need = from(createRequire(folder + "/").resolve);
const { Miniflare } = await need("miniflare");
const esbuild = await need("esbuild");
const { Client } = await need("@modelcontextprotocol/sdk/client/index.js");
const { StdioClientTransport } = await need("@modelcontextprotocol/sdk/client/stdio.js");

const [command, ...args] = upstream();
const source = new Client({ name: "bench", version: "0" });
await source.connect(new StdioClientTransport({ command, args, stderr: "ignore" }));

const worker = `
  import { DynamicWorkerExecutor } from "@cloudflare/codemode";
  export default {
    async fetch(request, env) {
      const executor = new DynamicWorkerExecutor({ loader: env.LOADER, timeout: 60000 });
      const echo = async (input) => {
        const body = JSON.stringify({ name: "echo", arguments: input });
        return (await env.SOURCE.fetch("http://source/", { method: "POST", body })).json();
      };
      const tools = [{ name: "everything", fns: { echo } }];
      return Response.json(await executor.execute(await request.text(), tools));
    },
  };`;
const bundle = await esbuild.build({
  stdin: { contents: worker, resolveDir: folder, loader: "js" },
  bundle: true,
  write: false,
  format: "esm",
  platform: "neutral",
  mainFields: ["module", "main"],
  conditions: ["workerd", "worker", "import"],
  external: ["cloudflare:*", "node:*"],
});
const workerd = new Miniflare({
  modules: true,
  script: bundle.outputFiles[0].text,
  compatibilityDate: "2026-06-11",
  compatibilityFlags: ["nodejs_compat"],
  workerLoaders: { LOADER: {} },
  serviceBindings: {
    SOURCE: async (request) => {
      const result = await source.callTool(await request.json());
      return new Response(JSON.stringify(result.structuredContent ?? result.content[0].text));
    },
  },
  host: "127.0.0.1",
  port: 0,
});
await workerd.ready;
serve(
  { name: "execute", inputSchema: { type: "object" } },
  async (code) => {
    const answer = await workerd.dispatchFetch("http://hub/", { method: "POST", body: code });
    const outcome = await answer.json();
    return { isError: Boolean(outcome.error), text: JSON.stringify(outcome) };
  },
  async () => {
    await workerd.dispose();
    await source.close();
  },
);
