// Promises of the declarations, checked by the compiler alone. Each typo is an error.

import {
  type Delta, type DiagnosticKind, type Event, EventWriter, type Message, Parser, Reader, detect, dialectOfModel, reasoningMarkers,
} from "toolstream";

const parser = new Parser("hermes", { tools: [{ name: "f" }], tool_limit: null, fences: "quote" });
new Parser("hermes", { attachments: "none", late_system: "user" }).renderChat([], "Be brief.") satisfies object[];
new Parser("hermes", { results: "refuse" }).renderHistory([{ role: "user", content: "Hi" }]) satisfies object[];
// @ts-expect-error: no option has this name.
new Parser("hermes", { tool_limt: 1 });
// @ts-expect-error: there is no such choice.
new Parser("hermes", { results: "ignore" });
// @ts-expect-error: a limit is a number.
new Parser("hermes", { tool_limit: "1" });
// @ts-expect-error: a list of names.
new Parser("hermes", { chaining_tools: "read" });
// @ts-expect-error: a dialect is no number.
new Parser(1);
new Parser("hermes", { limit_by: ({ index, name, previous }) => index < 2 && name !== previous, broken: "hide" });
// @ts-expect-error: a call that is about to open has no arguments yet.
new Parser("hermes", { limit_by: ({ arguments: _ }) => true });
// @ts-expect-error: there is no such way.
new Parser("hermes", { calls: "when_done" });
// @ts-expect-error: a chunk is text.
parser.feed(null);
// @ts-expect-error: bytes are no text.
parser.feedBytes("text");
// @ts-expect-error: no method has this name.
parser.finnish();
parser.refused[0]?.why satisfies string | undefined;
parser.correction() satisfies string | null;
parser.callGrammars("lark", "required")[0]?.opener satisfies string | undefined;
// @ts-expect-error: there is no such format.
parser.grammar("gbnf");
parser.renderResults([{ name: "f", content: { ok: true }, is_error: false }]) satisfies string;
// @ts-expect-error: a result has no such key.
parser.renderResults([{ name: "f", contents: "" }]);
parser.explain("<tool_call>")[0]?.refused satisfies string | null | undefined;
const events: Event[] = parser.feed("text");
for (const event of events) {
  if (event.type === "tool_start") event.name satisfies string;
  // @ts-expect-error: no event has this type.
  if (event.type === "text_contnt") continue;
  // @ts-expect-error: no diagnostic has this kind.
  if (event.type === "diagnostic" && event.kind === "unknown_tol") continue;
  if (event.type === "diagnostic") event.kind satisfies DiagnosticKind;
}
const deltas: Delta[] = parser.finishDeltas();
for (const delta of deltas) {
  if (delta.type === "call_end") delta.may_run satisfies boolean;
  // @ts-expect-error: no reason has this name.
  if (delta.type === "call_end" && delta.reason === "cutt") continue;
}
const message: Message = parser.message;
message.answered satisfies boolean | undefined;
// @ts-expect-error: no message ends so.
if (message.finish === "tool_calls") throw message;
for (const block of message.content) {
  if (block.type !== "tool_use") continue;
  block.input satisfies object;
  if (block.status === "complete") block.missing satisfies string[] | undefined;
  else block.problem?.what satisfies string | undefined;
  // @ts-expect-error: a call that may run has no reason why not.
  if (block.status === "complete") block.reason;
}
const reader = new Reader("anthropic", { tools: [], text_calls: parser });
reader.envelope.usage?.input satisfies number | null | undefined;
// @ts-expect-error: no provider has this name.
new Reader("openai");
// @ts-expect-error: a reader has no fences.
new Reader("gemini", { fences: "quote" });
new EventWriter("openai-chat", reader, { id: "1", model: "m" }).feed({}) satisfies Uint8Array;
// @ts-expect-error: an answer has a model.
new EventWriter("openai-chat", reader, { id: "1" });
const found = dialectOfModel("Qwen/Qwen3-8B");
if (found) new Parser(found.dialect, found.options);
// @ts-expect-error: there may be none.
new Parser(detect(""));
reasoningMarkers("hermes").open satisfies string[];
