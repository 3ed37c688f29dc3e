// An MCP server of the official SDK that wants a bearer token, and says which it was given.
import { createServer } from "node:http";
import { createRequire } from "node:module";
import { join } from "node:path";

/// What opens it.
export const SECRET = "calendar-secret-4711-do-not-show";

export async function guarded(tools, ends) {
  const load = createRequire(join(tools, "npm", "package.json"));
  const { McpServer } = load("@modelcontextprotocol/sdk/server/mcp.js");
  const { StreamableHTTPServerTransport } = load("@modelcontextprotocol/sdk/server/streamableHttp.js");
  const calls = [];
  let isOpen = true;

  function server() {
    const mcp = new McpServer({ name: "calendar", version: "1.0.0" });
    const annotations = { readOnlyHint: true, openWorldHint: false };
    mcp.registerTool("list_meetings", { description: "Lists the meetings of today.", inputSchema: {}, annotations }, () => {
      calls.push("list_meetings");
      return { content: [{ type: "text", text: JSON.stringify([{ at: "10:00", title: "Weekly" }]) }] };
    });
    return mcp;
  }

  const http = createServer(async (asked, answer) => {
    if (!isOpen && asked.headers.authorization !== `Bearer ${SECRET}`) {
      answer.writeHead(401).end();
      return;
    }
    const transport = new StreamableHTTPServerTransport({ sessionIdGenerator: undefined, enableJsonResponse: true });
    answer.on("close", () => transport.close());
    await server().connect(transport);
    await transport.handleRequest(asked, answer);
  });
  await new Promise((listens) => http.listen(0, "127.0.0.1", listens));
  ends.push(() => http.close());
  return { url: `http://127.0.0.1:${http.address().port}/mcp`, calls, lock() { isOpen = false; } };
}
