// The agent: a process of its own, because the hub knows whoever speaks MCP to it as a client, and
// lets no client, nor what a client started, do what is a person's.
import { send } from "./send.mjs";

process.on("message", async ({ n, options, body }) => {
  try {
    process.send({ n, answer: await send(options, body) });
  } catch (error) {
    process.send({ n, error: String(error) });
  }
});
process.on("disconnect", () => process.exit(0));
