// What the declarations promise, checked by the compiler alone.

import { type Delta, type Event, type Message, Parser } from "../index.js";
import { toolstream } from "../ai.js";

const parser = new Parser("hermes", { tools: [{ name: "f" }], tool_limit: null, fences: "quote" });
new Parser("hermes", { attachments: "none", late_system: "user" }).renderChat([], "Be brief.") satisfies object[];
new Parser("hermes", { results: "refuse" }).renderHistory([{ role: "user", content: "Hi" }]) satisfies object[];
// @ts-expect-error: there is no such choice.
new Parser("hermes", { results: "ignore" });
new Parser("hermes", { limit_by: ({ index, name, previous }) => index < 2 && name !== previous, broken: "hide" });
// @ts-expect-error: there is no such way.
new Parser("hermes", { calls: "when_done" });
parser.refused[0]?.why satisfies string | undefined;
parser.correction() satisfies string | null;
parser.callGrammars("lark", "required")[0]?.opener satisfies string | undefined;
const events: Event[] = parser.feed("text");
for (const event of events) if (event.type === "tool_start") event.name satisfies string;
const deltas: Delta[] = parser.finishDeltas();
for (const delta of deltas) if (delta.type === "call_end") delta.may_run satisfies boolean;
const message: Message = parser.message;
for (const block of message.content) if (block.type === "tool_use") block.input satisfies object;
toolstream("hermes", { specificationVersion: "v4", tool_limit: 3 });
// @ts-expect-error: there is no such version.
toolstream("hermes", { specificationVersion: "v1" });
