// Microseconds a chunk, of `feed` and of two middlewares of the AI SDK on the same text: `node benches/speed.mjs`, after `ci`.
// Each reads a text and is checked before it is timed. The tables are in the README, with their date.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import os from "node:os";
import { hermesToolMiddleware } from "@ai-sdk-tool/parser";
import { jsonSchema, simulateReadableStream, wrapLanguageModel } from "ai";
import { MockLanguageModelV3 } from "ai/test";
import { Parser } from "toolstream";
import { toolstream } from "toolstream/ai";

const SIZE = 4;
const RUNS = 9;
const SCHEMA = { type: "object", properties: { content: { type: "string" } }, required: ["content"] };
const TOOLS = [{ name: "write", parameters: SCHEMA }];

const chunksOf = text => text.match(new RegExp(`[^]{1,${SIZE}}`, "g"));
/** So many characters of a program. */
const source = length => "fn main() { println!(\"a < b\"); }\n".repeat(Math.ceil(length / 32)).slice(0, length);
const hermes = content => `<tool_call>\n${JSON.stringify({ name: "write", arguments: { content } })}\n</tool_call>`;

/** The time of a run, of several the one in the middle, in microseconds of the process's own time a chunk. */
async function micros(chunks, run, runs = RUNS) {
  const times = [];
  for (let round = 0; round < runs; round++) {
    const begun = process.cpuUsage();
    await run();
    const { user, system } = process.cpuUsage(begun);
    times.push((user + system) / chunks.length);
  }
  return times.sort((one, other) => one - other)[runs >> 1];
}

function fed(parser, chunks, feed, finish) {
  const stream = parser.fresh();
  let events = 0;
  for (const chunk of chunks) events += stream[feed](chunk).length;
  stream[finish]();
  const { message } = stream;
  stream.free();
  assert.ok(events > 0);
  return message;
}

const table = rows => {
  const [head, ...body] = rows.map(row => `| ${row.join(" | ")} |`);
  console.log([head, head.replaceAll(/[^|]+/g, "---"), ...body].join("\n"), "\n");
};
const shown = micros => micros < 10 ? micros.toFixed(2) : Math.round(micros).toLocaleString("en");

console.log(`Node ${process.versions.node}, ${os.cpus()[0].model}, ${new Date().toISOString().slice(0, 10)}\n`);

const program = source(16384);
const texts = [
  ["prose", "hermes", "The quick brown fox jumps over it. ".repeat(468)],
  ["prose, not ASCII", "hermes", "Über Größe: 漢字, 🦀. ".repeat(800)],
  ["an argument of `hermes`", "hermes", hermes(program)],
  ["an argument of `qwen3-coder`", "qwen3-coder", `<tool_call>\n<function=write>\n<parameter=content>\n${program}\n</parameter>\n</function>\n</tool_call>`],
  ["an argument of `cline`", "cline", `<write><content>${program}</content></write>`],
];
const rows = [["16 KiB of", "`feed`", "`feedDeltas`"]];
for (const [name, dialect, text] of texts) {
  const parser = new Parser(dialect, { tools: TOOLS });
  const chunks = chunksOf(text);
  const ways = [["feed", "finish"], ["feedDeltas", "finishDeltas"]];
  const [, ...times] = [name];
  for (const [feed, finish] of ways) {
    const { content: [block] } = fed(parser, chunks, feed, finish);
    assert.equal(block.type === "text" ? block.text : block.input.content, name.startsWith("prose") ? text : program);
    times.push(shown(await micros(chunks, () => fed(parser, chunks, feed, finish), 2 * RUNS + 1)));
  }
  rows.push([name, ...times]);
}
table(rows);

/** The calls in an answer under a middleware. */
async function under(middleware, chunks) {
  const usage = { inputTokens: { total: 1 }, outputTokens: { total: 1 } };
  const parts = [
    { type: "stream-start", warnings: [] }, { type: "text-start", id: "1" }, ...chunks.map(delta => ({ type: "text-delta", id: "1", delta })),
    { type: "text-end", id: "1" }, { type: "finish", finishReason: { unified: "stop", raw: "stop" }, usage },
  ];
  const model = new MockLanguageModelV3({
    doStream: async () => ({ stream: simulateReadableStream({ chunks: parts, initialDelayInMs: null, chunkDelayInMs: null }) }),
  });
  const { stream } = await wrapLanguageModel({ model, middleware }).doStream({
    prompt: [{ role: "user", content: [{ type: "text", text: "Write." }] }],
    tools: [{ type: "function", name: "write", inputSchema: jsonSchema(SCHEMA).jsonSchema }],
  });
  const calls = [];
  for await (const part of stream) if (part.type === "tool-call") calls.push(JSON.parse(part.input));
  return calls;
}

const { version } = JSON.parse(readFileSync(new URL("../node_modules/@ai-sdk-tool/parser/package.json", import.meta.url), "utf8"));
const none = { specificationVersion: "v3" };
const beside = [["a call with an argument of", "no middleware", "toolstream", `@ai-sdk-tool/parser ${version}`]];
for (const length of [1024, 4096, 16384, 65536]) {
  const content = source(length);
  const chunks = chunksOf(hermes(content));
  const times = [await micros(chunks, () => under(none, chunks))];
  for (const middleware of [toolstream("hermes"), hermesToolMiddleware]) {
    assert.deepEqual(await under(middleware, chunks), [{ content }]);
    times.push(await micros(chunks, () => under(middleware, chunks), length > 16384 ? 1 : RUNS));
  }
  beside.push([`${length / 1024} KiB`, ...times.map(shown)]);
}
table(beside);
