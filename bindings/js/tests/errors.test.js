// Mistakes are errors in words.

import assert from "node:assert/strict";
import { test } from "node:test";
import { EventWriter, Parser, Reader, markers } from "toolstream";

test("a chunk of another kind is no text", () => {
  const parser = new Parser("hermes");
  for (const [chunk, what] of [[null, "null"], [undefined, "undefined"], [7, "number"], [{}, "Object"], [["a"], "Array"]]) {
    for (const feed of ["feed", "feedDeltas"]) {
      assert.throws(() => parser[feed](chunk), { name: "TypeError", message: `a chunk is a string, not ${what}` });
    }
  }
  assert.throws(() => parser.feed(new Uint8Array(1)), { name: "TypeError", message: /: use feedBytes$/ });
  assert.throws(() => parser.feedBytes("a"), { name: "TypeError", message: /not string: use feed$/ });
  assert.throws(() => parser.feedBytes(null), { name: "TypeError", message: /a Uint8Array, not null/ });
  assert.throws(() => parser.feedSpecial(null), { name: "TypeError", message: "a special token is a string, not null" });
  assert.throws(() => parser.parse(), { name: "TypeError", message: "a text is a string, not undefined" });
  assert.deepEqual(parser.finish(), []);
});

test("a dialect is a name or an object", () => {
  for (const make of [dialect => new Parser(dialect), markers]) {
    assert.throws(() => make(null), { name: "TypeError", message: "a dialect is a name or an object, not null" });
  }
});

test("a stream that ended takes no more chunks", () => {
  const parser = new Parser("hermes");
  parser.finish();
  for (const feed of ["feed", "feedDeltas", "feedSpecial"]) assert.throws(() => parser[feed]("a"), /was finished.*reset.*fresh/);
  assert.throws(() => parser.feedBytes(new Uint8Array(1)), /was finished/);
  assert.deepEqual([parser.finish(), parser.fresh().feed("a")], [[], [{ type: "text_content", text: "a" }]]);
  parser.reset();
  assert.deepEqual(parser.feed("a"), [{ type: "text_content", text: "a" }]);
});

test("what was freed is said to be", () => {
  const [parser, reader] = [new Parser("hermes"), new Reader("openai-chat")];
  const writer = new EventWriter("openai-chat", parser, { id: "1", model: "m" });
  const twin = parser.fresh();
  for (const freed of [parser, reader, writer]) {
    freed.free();
    freed.free();
    assert.throws(() => freed.feed("{}"), /^Error: this (parser|reader|writer) was freed: make another one$/);
    assert.throws(() => freed.finish(), /was freed/);
    assert.throws(() => freed.message, /was freed/);
  }
  for (const use of [() => parser.systemPrompt(), () => parser.held, () => parser.fresh(), () => parser.parse("a"), () => parser.reset(),
    () => new EventWriter("anthropic", parser, { id: "1", model: "m" }), () => new Reader("gemini", { text_calls: parser })]) {
    assert.throws(use, /was freed/);
  }
  // Its configuration lives on.
  assert.equal(twin.systemPrompt(), "");
  twin.free();
});

test("`limit_by` cannot read on with the parser that asks it", () => {
  const errors = [];
  const parser = new Parser("hermes", { limit_by: () => {
    for (const use of [() => parser.feed("a"), () => parser.finish(), () => parser.message, () => parser.free()]) {
      try { use(); } catch (error) { errors.push(error.message); }
    }
    return true;
  } });
  parser.feed('<tool_call>{"name": "f", "arguments": {}}</tool_call>');
  parser.finish();
  assert.deepEqual(errors, Array(4).fill("this parser is in use: it asks `limit_by`"));
  assert.equal(parser.message.content[0].status, "complete");
});

test("a reader and a writer say what they take", () => {
  assert.throws(() => new Reader("openai"), /openai-chat/);
  assert.throws(() => new Reader("openai-chat", { fences: "quote" }), /no option `fences`: its options are tool_limit/);
  assert.throws(() => new Reader("openai-chat", { limits: 1 }), /unknown option `limits`/);
  const reader = new Reader("openai-chat");
  assert.throws(() => reader.feed('data: {"choices": []}'), { name: "TypeError", message: /feed what stands behind `data:`/ });
  assert.throws(() => reader.feed(7), { name: "TypeError", message: /not number/ });
  assert.throws(() => new EventWriter("openai", reader, { id: "1", model: "m" }), /use one of openai-chat/);
  assert.throws(() => new EventWriter("openai-chat", {}, { id: "1", model: "m" }), { name: "TypeError", message: /a Parser or a Reader is needed, not Object/ });
  assert.throws(() => new EventWriter("openai-chat", reader, { id: "1", model: "m", whol: true }), /whol/);
  assert.throws(() => new EventWriter("openai-chat", reader, { id: "1" }), /model/);
  const writer = new EventWriter("openai-chat", reader, { id: "1", model: "m" });
  writer.finish();
  assert.throws(() => writer.feed("{}"), /was finished/);
});
