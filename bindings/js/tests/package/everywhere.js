// A program for every runtime and bundler: it reads a call at every chunk size, and says what came.

import { Parser, dialects } from "toolstream";
import { toolstream } from "toolstream/ai";

const text = 'Ü 🦀.\n<tool_call>\n{"name": "f", "arguments": {"a": "🦀"}}\n</tool_call>';
let same = 0;
for (let size = 1; size <= text.length; size++) {
  const parser = new Parser("hermes");
  const events = [];
  for (let at = 0; at < text.length; at += size) events.push(...parser.feed(text.slice(at, at + size)));
  events.push(...parser.finish());
  const { input } = parser.message.content.at(-1);
  same += events.map(({ text }) => text ?? "").join("") === text && input.a === "🦀" ? 1 : 0;
  parser.free();
}
console.log(`${dialects().length > 40 && toolstream("hermes").specificationVersion}: ${same} of ${text.length} chunk sizes`);
