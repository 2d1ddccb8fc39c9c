// Streams of providers, and answers in the protocols of clients.

import assert from "node:assert/strict";
import { test } from "node:test";
import { EventWriter, Parser, Reader } from "toolstream";

const TOOLS = [{ name: "save", parameters: { properties: { path: { type: "string" } } } }];
const part = delta => ({ id: "c", model: "m", choices: [{ index: 0, delta, finish_reason: null }] });
const call = (id, name, args) => ({ tool_calls: [{ index: 0, id, type: "function", function: { name, arguments: args } }] });
const CHAT = [
  part({ role: "assistant", content: "I look. " }), part(call("1", "save", "")), part(call(undefined, undefined, '{"path": "🦀')),
  part(call(undefined, undefined, '.rs"}')),
  { choices: [{ index: 0, delta: {}, finish_reason: "tool_calls" }], usage: { prompt_tokens: 9, completion_tokens: 5 } },
];

test("a provider's stream, as objects, as text and as bytes", () => {
  const read = as => {
    const reader = new Reader("openai-chat", { tools: TOOLS });
    const events = [...CHAT.flatMap(event => reader.feed(as(event))), ...reader.finish()];
    return { events, message: reader.message, envelope: reader.envelope, request: reader.toRequest("openai-chat") };
  };
  const { events, message, envelope, request } = read(event => event);
  assert.deepEqual(message.content.map(({ type, input }) => [type, input]), [["text", undefined], ["tool_use", { path: "🦀.rs" }]]);
  assert.deepEqual([message.finish, envelope.model, envelope.usage.input], ["tool_use", "m", 9]);
  assert.equal(request.tool_calls[0].function.name, "save");
  assert.equal(events.find(({ type }) => type === "tool_start").id, "1");
  for (const as of [JSON.stringify, event => new TextEncoder().encode(JSON.stringify(event))]) assert.deepEqual(read(as), { events, message, envelope, request });
});

test("what only the provider reads comes through", () => {
  const reader = new Reader("anthropic");
  const events = reader.feed({ type: "message", stop_reason: "end_turn", content: [{ type: "thinking", thinking: "Hm.", signature: "c2ln" }] });
  assert.deepEqual(events.filter(({ type }) => type === "opaque"), [{ type: "opaque", of: "reasoning", json: '{"signature":"c2ln"}' }]);
  assert.deepEqual(events[0], { type: "reasoning", text: "Hm." });
});

test("calls that a server left in its text", () => {
  const parser = new Parser("hermes", { tools: TOOLS });
  const reader = new Reader("openai-chat", { text_calls: parser });
  for (const content of ["I look. <tool", '_call>{"name": "save", "arguments": {"path": "a"}}</tool_call>']) reader.feed(part({ content }));
  reader.feed({ choices: [{ index: 0, delta: {}, finish_reason: "stop" }] });
  reader.finish();
  assert.deepEqual(reader.message.content.at(-1).input, { path: "a" });
});

test("a reader has options, asks `limit_by`, makes deltas, and begins anew", () => {
  const names = [];
  const reader = new Reader("openai-chat", { tools: TOOLS, limit_by: ({ name }) => names.push(name) > 0, types: "strict" });
  const deltas = [...CHAT.flatMap(event => reader.feedDeltas(event)), ...reader.finishDeltas()];
  assert.deepEqual([...new Set(deltas.map(({ type }) => type))], ["content", "call", "arguments", "call_end"]);
  assert.equal(deltas.map(({ type, text }) => type === "arguments" ? text : "").join(""), '{"path":"🦀.rs"}');
  assert.deepEqual(names, ["save"]);
  const fresh = reader.fresh();
  assert.equal(fresh.message.content.length, 0);
  reader.reset();
  assert.equal(reader.message.content.length, 0);
  const failing = new Reader("openai-chat", { limit_by() { throw new Error("no"); } });
  assert.throws(() => CHAT.forEach(event => failing.feed(event)), /^Error: no$/);
});

const TEXT = 'Ü 🦀 <tool_call>{"name": "save", "arguments": {"path": "🦀.rs"}}</tool_call>';
const text = bytes => new TextDecoder().decode(bytes);

test("an answer in a client's protocol, the same for every cut", () => {
  const parser = new Parser("hermes", { tools: TOOLS });
  for (const [protocol, type] of [["openai-chat", '"tool_calls"'], ["openai-responses", '"function_call"'], ["anthropic", '"tool_use"']]) {
    const write = (size, options) => {
      const writer = new EventWriter(protocol, parser, { id: "1", model: "m", ...options });
      writer.usage(9, 5);
      const sent = (TEXT.match(new RegExp(`[^]{1,${size}}`, "g"))).map(chunk => text(writer.feed(chunk)));
      return { sent: sent.join("") + text(writer.finish()), writer };
    };
    const whole = write(99, { whole: true });
    assert.ok(JSON.stringify(JSON.parse(whole.sent)).includes(type), whole.sent);
    assert.equal(whole.writer.contentType, "application/json");
    // Also one in the middle of a surrogate pair.
    for (const size of [1, 2, 3, 7]) assert.equal(write(size, { whole: true }).sent, whole.sent);
    const { sent, writer } = write(1);
    assert.ok(sent.includes("data: ") && sent.includes(type), sent);
    assert.match(writer.contentType, /^text\/event-stream/);
    assert.deepEqual([writer.message.finish, writer.brokenCalls, writer.madeUpIds], ["tool_use", [], [0]]);
    assert.ok(["tool_calls", "tool_use", "completed"].includes(writer.stopReason), writer.stopReason);
  }
});

test("broken calls, an error, and a provider's stream in another protocol", () => {
  const parser = new Parser("hermes", { tools: TOOLS });
  const broken = new EventWriter("openai-chat", parser, { id: "1", model: "m", broken: "hide" });
  broken.feed('Go. <tool_call>{"name": "save", "arguments": {"path": }}</tool_call>');
  broken.finish();
  assert.deepEqual(broken.brokenCalls, [{ index: 0, name: "save", reason: "malformed_arguments" }]);
  const failed = new EventWriter("anthropic", parser, { id: "1", model: "m" });
  assert.match(text(failed.fail("The engine died.")), /api_error.*The engine died\./);
  const reader = new EventWriter("anthropic", new Reader("openai-chat", { tools: TOOLS }), { id: "1", model: "m" });
  const sent = [...CHAT.map(event => reader.feed(event)), reader.finish()].map(text).join("");
  assert.match(sent, /"type":"tool_use","id":"1","name":"save"/);
  const asked = new Parser("hermes", { limit_by() { throw new Error("no"); } });
  assert.throws(() => new EventWriter("anthropic", asked, { id: "1", model: "m" }).feed(TEXT), /^Error: no$/);
});
