import { request } from "node:http";

/// One HTTP request, sent as it is.
export function send(options, body = "") {
  return new Promise((yes, no) => {
    const headers = { "content-type": "application/json", "content-length": Buffer.byteLength(body), ...options.headers };
    const asked = request({ ...options, headers, agent: false }, (answer) => {
      let text = "";
      answer.setEncoding("utf8").on("data", (part) => { text += part; });
      answer.on("end", () => yes({ status: answer.statusCode, headers: answer.headers, body: text }));
      answer.on("error", no);
    });
    asked.on("error", no).end(body);
  });
}
