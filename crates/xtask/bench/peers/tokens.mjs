// Counts o200k tokens: a JSON array of strings in, a JSON array of numbers out.
import { createRequire } from "node:module";

const need = createRequire(process.env.BENCH_NPM + "/");
const { encode } = await import(need.resolve("gpt-tokenizer/encoding/o200k_base"));
let text = "";
for await (const part of process.stdin) text += part;
console.log(JSON.stringify(JSON.parse(text).map((one) => encode(one).length)));
