// The module in Deno: `deno run --allow-read tests/deno.js`.

import assert from "node:assert/strict";
import { Parser, dialects } from "../index.js";

const call = 'Ü 🦀.\n<tool_call>\n{"name": "f", "arguments": {"a": "🦀"}}\n</tool_call>';
for (let size = 1; size <= call.length; size++) {
  const parser = new Parser("hermes");
  const events = [];
  for (let at = 0; at < call.length; at += size) events.push(...parser.feed(call.slice(at, at + size)));
  events.push(...parser.finish());
  assert.equal(events.map(({ text }) => text ?? "").join(""), call);
  assert.deepEqual(parser.message.content.at(-1).input, { a: "🦀" });
}
console.log(`Deno ${Deno.version.deno}: ${dialects().length} dialects, ${call.length} chunk sizes, 1 passed, 0 failed`);
