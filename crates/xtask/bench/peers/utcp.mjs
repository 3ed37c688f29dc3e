// @utcp/code-mode with one MCP source.
import { createRequire } from "node:module";
import { serve, upstream, from } from "./wrap.mjs";

const need = from(createRequire(process.env.BENCH_NPM + "/").resolve);
const { CodeModeUtcpClient } = await need("@utcp/code-mode");
await need("@utcp/mcp");
console.log = console.error = console.warn = () => {};
const [command, ...args] = upstream();
const client = await CodeModeUtcpClient.create();
await client.registerManual({
  name: "everything",
  call_template_type: "mcp",
  config: { mcpServers: { everything: { transport: "stdio", command, args } } },
});
const inputSchema = { type: "object", properties: { code: { type: "string" } } };
serve(
  { name: "call_tool_chain", description: CodeModeUtcpClient.AGENT_PROMPT_TEMPLATE, inputSchema },
  async (code) => {
    try {
      return { isError: false, text: JSON.stringify(await client.callToolChain(code, 30_000)) };
    } catch (error) {
      return { isError: true, text: String(error) };
    }
  },
);
