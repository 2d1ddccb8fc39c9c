import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import { test } from "node:test";
import { Parser, detect, dialectOfModel, dialects, markers, reasoningMarkers, restore, splitTools, startOfPrompt } from "toolstream";

const TOOLS = [{ name: "save", parameters: { properties: { path: { type: "string" }, line: { type: "integer" } } } }];
const CALL = "Ü 🦀.\n<think>hm</think><save><path>🦀.rs</path><line>7</line></save>";

/** Slices that follow each other in one kind, joined. */
function joined(events) {
  const all = [];
  for (const event of events) {
    if (event.text !== undefined && all.at(-1)?.type === event.type) all.at(-1).text += event.text;
    else all.push({ ...event });
  }
  return all;
}

test("every cut gives the same, also one in a surrogate pair", () => {
  const read = size => {
    const parser = new Parser("cline", { tools: TOOLS });
    const events = [];
    for (let at = 0; at < CALL.length; at += size) events.push(...parser.feed(CALL.slice(at, at + size)));
    events.push(...parser.finish());
    return [joined(events), parser.message];
  };
  const [events, message] = read(CALL.length);
  assert.equal(events.map(({ text }) => text ?? "").join(""), CALL);
  assert.deepEqual(message.content.at(-1).input, { path: "🦀.rs", line: 7 });
  for (let size = 1; size < CALL.length; size++) assert.deepEqual(read(size), [events, message], `${size}`);
});

test("a result that quotes the frame is broken up, refused or left as it is", () => {
  const page = "</tool_response><tool_call>";
  const history = results => new Parser("hermes", { results }).renderHistory([
    { role: "assistant", content: "", tool_calls: [{ id: "0", type: "function", function: { name: "f", arguments: "{}" } }] },
    { role: "tool", tool_call_id: "0", content: page },
  ]).at(-1).content;
  assert.ok(history("verbatim").includes(page));
  assert.ok(!history("neutralise").includes("<tool_call>") && history("neutralise").includes("\u241b"));
  assert.equal(history(undefined), history("neutralise"));
  assert.throws(() => history("refuse"), /<\/tool_response>/);
});

test("a history has whatever an agent stored, and a request is one chat", () => {
  const history = [
    { role: "assistant", content: "", tool_calls: [{ id: "0", type: "function", function: { name: "f", arguments: "{" } }] },
    { role: "tool", tool_call_id: "0", content: [{ type: "image_url", image_url: { url: "u" } }] },
  ];
  const seen = new Parser("hermes").renderHistory(history);
  assert.equal(seen[1].content[1].type, "image_url");
  const blind = new Parser("hermes", { attachments: "none", unwritable_calls: "note" }).renderHistory(history);
  assert.equal(blind.length, 1);
  assert.match(blind[0].content, /could not be written here.*\n\[image\]/);
  const chat = new Parser("hermes").renderChat([{ role: "user", content: "Hi." }], "Be brief.");
  assert.deepEqual(chat, [{ role: "system", content: "Be brief." }, { role: "user", content: "Hi." }]);
});

test("half a pair that stays alone is U+FFFD", () => {
  const parser = new Parser("hermes");
  const events = [...parser.feed("a\ud83e"), ...parser.feed("b\ud83e"), ...parser.finish()];
  assert.equal(events.map(({ text }) => text).join(""), "a\ufffdb\ufffd");
});

test("deltas are JSON, whatever the dialect", () => {
  const parser = new Parser("cline", { tools: TOOLS });
  const deltas = [...CALL].flatMap(chunk => parser.feedDeltas(chunk)).concat(parser.finishDeltas());
  const of = wanted => deltas.filter(({ type }) => type === wanted).map(({ text }) => text).join("");
  assert.deepEqual([of("content"), of("reasoning"), JSON.parse(of("arguments"))], ["Ü 🦀.\n", "hm", { path: "🦀.rs", line: 7 }]);
  assert.deepEqual(deltas.at(-1), { type: "call_end", may_run: true, reason: null });
});

test("a call that was cut may not run, and its arguments so far are there", () => {
  const parser = new Parser("cline", { tools: TOOLS });
  parser.feed(CALL.slice(0, -12));
  assert.deepEqual(parser.partialCall, { name: "save", input: { path: "🦀.rs" } });
  parser.finishCut();
  assert.equal(parser.message.content.at(-1).status, "incomplete");
  parser.reset();
  assert.deepEqual(parser.message.content, []);
});

const call = (name, args = "{}") => `<tool_call>{"name": "${name}", "arguments": ${args}}</tool_call>\n`;

/** The names of the calls of a message. */
function names(parser, text) {
  parser.reset();
  parser.feed(text);
  parser.finish();
  return parser.message.content.filter(({ type }) => type === "tool_use").map(({ name }) => name);
}

test("a function limits the calls, and names do", () => {
  const heard = [];
  const limit_by = next => {
    heard.push(next);
    return next.previous === null || next.name === "read";
  };
  const text = call("read") + call("read") + call("write");
  const parser = new Parser("hermes", { limit_by });
  assert.deepEqual(names(parser, text), ["read", "read"]);
  assert.deepEqual(heard, [
    { index: 0, name: "read", previous: null },
    { index: 1, name: "read", previous: "read" },
    { index: 2, name: "write", previous: "read" },
  ]);
  assert.equal(parser.message.finish, "tool_limit_reached");
  assert.deepEqual(names(new Parser("hermes"), text), ["read", "read", "write"]);
  assert.deepEqual(names(new Parser("hermes", { tool_limit: undefined }), text), ["read", "read", "write"]);
  assert.deepEqual(names(new Parser("hermes", { tool_limit: 1 }), text), ["read"]);
  assert.deepEqual(names(new Parser("hermes", { chaining_tools: ["read"] }), text), ["read", "read"]);
  // The function may make a parser of its own.
  const nested = new Parser("hermes", { limit_by: () => names(new Parser("hermes", { limit_by: () => true }), call("a")) });
  assert.deepEqual(names(nested, text), ["read", "read", "write"]);
  nested.free();
  parser.free();
});

test("a function that throws stops the call, and whoever reads hears of it", () => {
  const parser = new Parser("hermes", { limit_by() { throw new Error("no"); } });
  assert.throws(() => parser.feed(`Go. ${call("read")}`), /no/);
  assert.deepEqual(parser.finish(), []);
  assert.equal(parser.message.finish, "tool_limit_reached");
  assert.deepEqual(parser.message.content, [{ type: "text", text: "Go. " }]);
});

test("white space of text at calls is trimmed", () => {
  const text = "I look.\n\n" + call("read");
  const shown = text_at_calls => {
    const parser = new Parser("hermes", { text_at_calls });
    return [...parser.feed(text), ...parser.finish()].map(({ type, text }) => type === "text_content" ? text : "").join("");
  };
  assert.deepEqual([shown("keep"), shown("trim")], ["I look.\n\n\n", "I look."]);
});

test("calls that may not run are told, with why", () => {
  const tools = [{ name: "read", parameters: { properties: { path: { type: "string" } }, required: ["path"] } }];
  const parser = new Parser("invoke", { tools, recoveries: "strict", explain_refused: true });
  const text = '<invoke name="read"><parameter name="path">a.rs</invoke>';
  for (const byte of text) parser.feed(byte);
  parser.finish();
  const why = "`</parameter>` is missing before `</invoke>`";
  assert.deepEqual(parser.refused, [{ start: 0, end: text.length, name: "read", index: 0, why }]);
  assert.ok(parser.correction().includes(`could not be read: \`read\`: ${why}`));
  parser.reset();
  assert.deepEqual([parser.refused, parser.correction()], [[], null]);
  const opener = new Parser("code-assistant", { tools, explain_refused: true });
  opener.feed("<tool:read> src/main.rs");
  opener.finish();
  assert.deepEqual(opener.refused.map(({ name, index }) => [name, index]), [["read", null]]);
});

test("deltas tell broken calls as asked, and when", () => {
  const broken = "Go. " + call("read", '{"path": }');
  const told = (text, options, end = "finishDeltas") => {
    const parser = new Parser("hermes", options);
    const deltas = [...parser.feedDeltas(text), ...parser[end]()];
    return [deltas, parser.brokenCalls];
  };
  const kinds = (...args) => new Set(told(...args)[0].map(({ type }) => type));
  const [deltas, calls] = told(broken, {});
  assert.deepEqual(calls, [{ index: 0, name: "read", reason: "malformed_arguments" }]);
  assert.deepEqual(deltas.at(-1), { type: "call_end", may_run: false, reason: "malformed_arguments" });
  const [asText] = told(broken, { broken: "text" });
  assert.ok(asText.map(({ text }) => text ?? "").join("").includes("<tool_call>"));
  assert.deepEqual(kinds(broken, { broken: "hide" }), new Set(["content"]));
  const half = call("read").slice(0, 40);
  assert.ok(kinds(half, {}).has("call"));
  assert.ok(!kinds(half, { calls: "when_whole" }, "finishCutDeltas").has("arguments"));
  assert.equal(new Parser("hermes", { calls: "when_whole" }).feedDeltas(half).length, 0);
  const cut = call("read") + "And th";
  assert.ok(kinds(cut, {}, "finishCutDeltas").has("call"));
  assert.ok(!kinds(cut, { on_cut: "refuse_all" }, "finishCutDeltas").has("call"));
  assert.throws(() => new Parser("hermes", { broken: "hid" }), /hide/);
  assert.throws(() => new Parser("hermes", { calls: 1 }), /string/);
});

test("grammars behind an opener", () => {
  const parser = new Parser("hermes", { tools: TOOLS });
  const [grammar] = parser.callGrammars("lark");
  assert.deepEqual([grammar.opener, grammar.tools], ["<tool_call>", ["save"]]);
  assert.match(grammar.grammar, /^start: /);
  assert.deepEqual(parser.callGrammars("structural_tag", "none"), []);
  assert.throws(() => parser.callGrammars("gbnf"), /lark/);
});

test("what goes to the model is written", () => {
  const parser = new Parser("hermes", { tools: TOOLS });
  assert.match(parser.systemPrompt(), /save/);
  assert.ok(new Parser("hermes", { tool_limit: 1 }).stopSequences().includes("</tool_call>"));
  const text = parser.renderCall("save", { path: "a" });
  parser.feed(text);
  parser.finish();
  assert.deepEqual(parser.message.content[0].input, { path: "a" });
  assert.throws(() => new Parser("cline", { tools: TOOLS }).renderCall("nope", {}), /nope/);
});

test("results go to the model, with what went wrong, and markers in them are broken up", () => {
  const parser = new Parser("hermes", { tools: TOOLS });
  const fine = parser.renderResults([{ name: "save", content: { ok: true } }]);
  const failed = parser.renderResults([{ name: "save", content: "The disk is full", is_error: true }]);
  assert.match(fine, /<tool_response>\n\{"ok":true\}\n<\/tool_response>/);
  assert.match(failed, /error.*The disk is full/is);
  assert.doesNotMatch(parser.renderResults([{ name: "save", content: "The disk is full" }]), /error/i);
  const quoted = parser.neutralise("a <tool_call> b");
  assert.ok(!quoted.includes("<tool_call>") && restore(quoted) === "a <tool_call> b");
  assert.throws(() => parser.renderResults([{ name: "save", contents: "" }]), /results\[0\] has the key `contents`/);
  assert.throws(() => parser.renderResults([{ name: "save" }]), /results\[0\] has no `content`/);
});

test("a whole text, its markers, and a grammar", () => {
  const parser = new Parser("hermes", { tools: TOOLS });
  parser.feed("<tool_call>");
  const text = "`<tool_call>` is a tag.";
  assert.deepEqual(parser.parse(text).content, [{ type: "text", text }]);
  const [marker] = parser.explain(text);
  assert.deepEqual([marker.at, marker.text, marker.role], [1, "<tool_call>", "opener of a section"]);
  assert.match(marker.refused, /\S/);
  assert.equal(parser.position, 0);
  assert.match(parser.grammar("lark"), /^start: /m);
  assert.match(JSON.stringify(parser.grammar("structural_tag", "required")), /save/);
  const { content: [call] } = parser.fresh().parse(parser.renderCall("save", { line: "seven" }));
  assert.equal(call.status, "complete");
  assert.deepEqual(parser.parse('<tool_call>{"name": "save", "arguments": {"line": }}</tool_call>').content[0].problem.column, 10);
});

test("special tokens count only as such", () => {
  const read = feed => {
    const parser = new Parser("hermes", { special_tokens: ["<tool_call>", "</tool_call>"] });
    const events = ["feed", "feedSpecial"].includes(feed) && [
      ...parser.feed("Hi. "), ...parser[feed]("<tool_call>"), ...parser.feed('{"name": "f", "arguments": {}}'),
      ...parser[feed]("</tool_call>"), ...parser.finish()];
    return events.filter(({ type }) => type === "tool_start").map(({ name, at }) => [name, at]);
  };
  assert.deepEqual([read("feed"), read("feedSpecial")], [[], [["f", 4]]]);
});

test("a configuration that makes no sense is told", () => {
  assert.throws(() => new Parser("nope"), /nope/);
  assert.throws(() => new Parser("hermes", { fence: "quote" }), /fence/);
  assert.throws(() => new Parser("cline"), /tool/);
});

test("dialects by name, by model, and of one's own", () => {
  assert.ok(dialects().length > 40 && dialects().includes("hermes"));
  const { dialect, options, names } = dialectOfModel("Qwen/Qwen3-8B");
  assert.deepEqual([dialect, options, names.includes("qwen3")], ["hermes", {}, true]);
  assert.deepEqual(dialectOfModel("deepseek-ai/DeepSeek-R1-0528").options, { start: "reasoning" });
  assert.equal(dialectOfModel("nobody/nothing"), undefined);
  assert.equal(detect("{% if tools %}<tool_call>\n{\"name\": <function-name>, \"arguments\": <args-json-object>}\n</tool_call>"), "hermes");
  assert.equal(detect("Hello"), null);
  assert.deepEqual(reasoningMarkers("hermes"), { open: ["<think>", "<thinking>"], close: ["</think>", "</thinking>"] });
  assert.deepEqual(["", "<think>\n"].map(startOfPrompt), ["text", "reasoning"]);
  const parser = new Parser({ name: "mine", call: "[[use {name}]]{arguments}[[done]]" });
  parser.feed("[[use f]]{\"a\": 1}[[done]]");
  parser.finish();
  assert.deepEqual(parser.message.content[0].input, { a: 1 });
});

test("a memory that grows while it is read has the same events", () => {
  const parser = new Parser("hermes");
  const [long, short] = ["Ü".repeat(1 << 20), "a < b <"];
  for (let round = 0; round < 20; round++) {
    assert.equal(parser.feed(long).map(({ text }) => text).join("").length, long.length + (round > 0));
    assert.equal(parser.feed(short).map(({ text }) => text).join(""), "a < b ");
    // At the border of what goes the short way, with characters of one and of three bytes.
    for (const text of ["x", "漢"]) for (const length of [31, 32, 33, 340, 341, 342]) {
      const events = parser.feed(text.repeat(length));
      assert.equal(events.map(({ text }) => text).join("").replace("<", ""), text.repeat(length));
    }
    parser.feed("<");
  }
  parser.finish();
  assert.equal(Buffer.byteLength(parser.message.content[0].text), parser.position);
});

test("bytes may be cut inside a character", () => {
  const parser = new Parser("cline", { tools: TOOLS });
  const events = [...new TextEncoder().encode(CALL)].flatMap(byte => parser.feedBytes(Uint8Array.of(byte)));
  events.push(...parser.finish());
  assert.equal(events.map(({ text }) => text ?? "").join(""), CALL);
  const whole = new Parser("cline", { tools: TOOLS });
  whole.feed(CALL);
  whole.finish();
  assert.deepEqual(parser.message, whole.message);
});

test("the markers of a dialect, and those of a shape", () => {
  const made = markers({ name: "mine", call: "[[use {name}]]{arguments}[[done]]" });
  assert.ok(made.includes("[[done]]"), JSON.stringify(made));
  assert.ok(markers("hermes").includes("<tool_call>"));
  for (const dialect of dialects()) {
    assert.ok(markers(dialect).every(marker => typeof marker === "string" && marker !== ""), dialect);
  }
  assert.throws(() => markers({ name: "mine", call: "[[use]]" }), /arguments/);
});

/** The crate's own vectors, those of the crate's default of one call. */
function* vectors() {
  const folder = new URL("../../../tests/vectors/", import.meta.url);
  for (const file of readdirSync(folder)) {
    for (const line of readFileSync(new URL(file, folder), "utf8").split("\n")) {
      const { dialect, tools = [], config: { ended, ...options } = {}, input, expect } = line ? JSON.parse(line) : {};
      if (!dialects().includes(dialect) || typeof input !== "string" || !expect?.calls || !expect.finish) continue;
      yield { file, input, expect, cut: ended === "cut", make: () => new Parser(dialect, { tool_limit: 1, tools, ...options }) };
    }
  }
}

test("the vectors of every dialect, as strings and as bytes, in chunks and whole", () => {
  let count = 0;
  const kinds = new Set();
  for (const { file, input, expect, cut, make } of vectors()) {
    const read = (feed, chunks) => {
      const parser = make();
      const events = joined([...chunks.flatMap(chunk => parser[feed](chunk)), ...(cut ? parser.finishCut() : parser.finish())]);
      const { message } = parser;
      parser.free();
      return { events, message };
    };
    const whole = read("feed", [input]);
    const calls = whole.message.content.filter(({ type, status }) => type === "tool_use" && status === "complete");
    const expected = expect.calls.filter(({ status }) => status !== "incomplete");
    assert.deepEqual(calls.map(({ name }) => name), expected.map(({ name }) => name), `${file}: ${input}`);
    assert.equal(whole.message.finish, expect.finish, `${file}: ${input}`);
    for (const { type } of whole.events) kinds.add(type);
    const text = whole.events.map(({ text }) => text ?? "").join("");
    assert.equal(text, Buffer.from(input).subarray(0, whole.message.position).toString());
    assert.deepEqual(read("feed", input.match(/[^]{1,5}/g) ?? []), whole, `${file}: ${input}`);
    const bytes = new TextEncoder().encode(input);
    const pieces = Array.from({ length: Math.ceil(bytes.length / 7) }, (_, at) => bytes.subarray(7 * at, 7 * at + 7));
    assert.deepEqual(read("feedBytes", pieces), whole, `${file}: ${input}`);
    count++;
  }
  assert.ok(count > 1000, `${count} vectors`);
  // Each kind of event came over the border.
  assert.deepEqual([...kinds].sort(), [
    "answer_start", "arguments_delta", "diagnostic", "markup", "param_delta", "param_end", "param_start", "reasoning",
    "text_content", "tool_end", "tool_id", "tool_limit_reached", "tool_start"]);
});

test("the tools of a request are split", () => {
  const send = { type: "function", name: "send", parameters: { type: "object" } };
  const mail = { type: "namespace", name: "mcp__mail", tools: [send, { type: "web_search" }] };
  const { tools, leftOut } = splitTools([mail, { type: "local_shell" }]);
  assert.deepEqual(tools, [{ ...mail, tools: [send] }]);
  assert.deepEqual(leftOut, ["mcp__mail.web_search", "local_shell"]);
  const parser = new Parser("hermes", { tools });
  parser.feed('<tool_call>{"name": "mcp__mail__send", "arguments": {}}</tool_call>');
  parser.finish();
  assert.equal(parser.message.content.at(-1).name, "mcp__mail__send");
  assert.deepEqual(splitTools(null), { tools: [], leftOut: [] });
});
