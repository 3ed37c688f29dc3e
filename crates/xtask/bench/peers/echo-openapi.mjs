// An HTTP API of one operation that echoes, with its OpenAPI document. Prints the document's URL.
import http from "node:http";

const server = http.createServer((request, response) => {
  const url = new URL(request.url, "http://127.0.0.1");
  const answer =
    url.pathname === "/openapi.json" ? document() : { msg: url.searchParams.get("msg") };
  response.setHeader("content-type", "application/json");
  response.end(JSON.stringify(answer));
});

const origin = () => `http://127.0.0.1:${server.address().port}`;

const document = () => ({
  openapi: "3.1.0",
  info: { title: "Echo", version: "1" },
  servers: [{ url: origin() }],
  paths: {
    "/echo": {
      get: {
        operationId: "echo",
        summary: "Gives back a message",
        parameters: [{ name: "msg", in: "query", required: true, schema: { type: "string" } }],
        responses: {
          200: {
            description: "The message",
            content: {
              "application/json": {
                schema: { type: "object", properties: { msg: { type: "string" } } },
              },
            },
          },
        },
      },
    },
  },
});

server.listen(0, "127.0.0.1", () => console.log(`${origin()}/openapi.json`));
