// The middleware under the real AI SDK, 6 and 7, with its scripted model, which writes only text.

import assert from "node:assert/strict";
import { test } from "node:test";
import * as ai6 from "ai";
import * as mocks6 from "ai/test";
import * as ai7 from "ai7";
import * as mocks7 from "ai7/test";
import { toolstream } from "../ai.js";

for (const [name, sdk, Model, specificationVersion] of
  [["ai 6", ai6, mocks6.MockLanguageModelV3, "v3"], ["ai 7", ai7, mocks7.MockLanguageModelV4, "v4"]]) {

const { generateText, jsonSchema, simulateReadableStream, stepCountIs, streamText, tool, wrapLanguageModel } = sdk;

const CALL = "<think>\nhm\n</think>\nI look.\n<tool_call>\n{\"name\": \"weather\", \"arguments\": {\"city\": \"Bern\"}}\n</tool_call>";
const usage = { inputTokens: { total: 1 }, outputTokens: { total: 1 } };
const finish = reason => ({ unified: reason, raw: reason });

/** A model that gives these answers, streamed or whole; what it was asked; and what the tool was asked. */
function scripted(answers, reason = "stop", dialect = "hermes", options = {}) {
  const [asked, ran] = [[], []];
  const next = options => {
    asked.push(options);
    return answers[asked.length - 1];
  };
  const model = new Model({
    doStream: async options => {
      const deltas = (next(options).match(/[^]{1,5}/g) ?? []).map(delta => ({ type: "text-delta", id: "1", delta }));
      const end = reason ? [{ type: "text-end", id: "1" }, { type: "finish", finishReason: finish(reason), usage }] : [];
      const chunks = [{ type: "stream-start", warnings: [] }, { type: "text-start", id: "1" }, ...deltas, ...end];
      return { stream: simulateReadableStream({ chunks, initialDelayInMs: null, chunkDelayInMs: null }) };
    },
    doGenerate: async options =>
      ({ content: [{ type: "text", text: next(options) }], finishReason: finish(reason), usage, warnings: [] }),
  });
  const weather = tool({
    description: "The weather of a city",
    inputSchema: jsonSchema({ type: "object", properties: { city: { type: "string" } } }),
    execute: async input => (ran.push(input), { degrees: 7 }),
  });
  const settings = {
    model: wrapLanguageModel({ model, middleware: toolstream(dialect, { specificationVersion, ...options }) }),
    prompt: "The weather?", tools: { weather }, stopWhen: stepCountIs(3),
  };
  return { asked, ran, settings };
}

/** Checks the second request: the tools told, and the call and its result as text. */
function looked(asked) {
  const [system, ...rest] = asked[1].prompt;
  assert.equal(system.role, "system");
  assert.match(system.content, /"name": "weather"/);
  assert.deepEqual(rest.map(({ role, content }) => [role, ...content.map(({ type, text }) => `${type}: ${text}`)]), [
    ["user", "text: The weather?"],
    ["assistant", "reasoning: \nhm\n", "text: I look.\n<tool_call>\n{\"name\": \"weather\", \"arguments\": {\"city\": \"Bern\"}}\n</tool_call>"],
    ["user", "text: <tool_response>\n{\"degrees\":7}\n</tool_response>"],
  ]);
  assert.equal(asked[1].tools, undefined);
}

test(`${name}: a tool runs while its call is streamed, and its result goes back as text`, async () => {
  const { asked, ran, settings } = scripted([CALL, "It is 7 degrees."]);
  const result = streamText(settings);
  const parts = [];
  for await (const part of result.fullStream) {
    assert.notEqual(part.type, "error", `${part.error}`);
    if (parts.at(-1) !== part.type) parts.push(part.type);
  }
  assert.deepEqual(ran, [{ city: "Bern" }]);
  assert.equal(await result.text, "It is 7 degrees.");
  const input = parts.indexOf("tool-input-start");
  assert.deepEqual(parts.slice(input, input + 4), ["tool-input-start", "tool-input-delta", "tool-input-end", "tool-call"]);
  assert.ok(parts.indexOf("reasoning-end") < parts.indexOf("text-start"), parts.join(" "));
  looked(asked);
});

test(`${name}: the same, not streamed`, async () => {
  const { asked, ran, settings } = scripted([CALL, "It is 7 degrees."]);
  const result = await generateText(settings);
  assert.deepEqual([ran, result.text, result.steps.length], [[{ city: "Bern" }], "It is 7 degrees.", 2]);
  assert.equal(result.steps[0].reasoningText.trim(), "hm");
  assert.equal(result.steps[0].finishReason, "tool-calls");
  looked(asked);
});

test(`${name}: a call that is not certainly whole never runs`, async () => {
  for (const [reason, text] of [["length", CALL.slice(0, -20)], ["stop", CALL.slice(0, -20)], [null, CALL.slice(0, -20)], ["length", CALL.slice(0, -15)]]) {
    const { ran, settings } = scripted([text], reason);
    const parts = [];
    for await (const part of streamText(settings).fullStream) parts.push(part.type);
    assert.ok(parts.includes("tool-input-start") && !parts.includes("tool-call"), `${reason}: ${parts}`);
    assert.deepEqual(ran, []);
    if (!reason) continue;
    const whole = scripted([text], reason);
    await generateText(whole.settings);
    assert.deepEqual(whole.ran, []);
  }
});

test(`${name}: what only the end of the stream makes whole runs if the model ended, and not if it was cut`, async () => {
  const text = "Thought: hm\nAction: weather\nAction Input: Bern";
  for (const [reason, expected] of [["stop", [{ city: "Bern" }]], ["length", []], [null, []]]) {
    const streamed = scripted([text, "Final Answer: 7"], reason, "react");
    const calls = [];
    for await (const part of streamText(streamed.settings).fullStream) if (part.type === "tool-call") calls.push(part.input);
    assert.deepEqual([calls, streamed.ran], [expected, expected], `${reason}, streamed`);
    if (!reason) continue;
    const whole = scripted([text, "Final Answer: 7"], reason, "react");
    const { steps } = await generateText(whole.settings);
    assert.deepEqual([steps[0].toolCalls.map(({ input }) => input), whole.ran], [expected, expected], reason);
  }
});

test(`${name}: without tools, and with a choice of none, the answer is what the model wrote`, async () => {
  for (const change of [{ tools: undefined }, { toolChoice: "none" }]) {
    const { asked, ran, settings } = scripted([CALL]);
    const result = await generateText({ ...settings, ...change });
    assert.deepEqual([result.text, ran], [CALL, []]);
    assert.ok(asked[0].prompt.every(({ role }) => role !== "system"));
  }
});

test(`${name}: at no cut does an incomplete call become one`, async () => {
  const balanced = CALL.lastIndexOf("}") + 1;
  for (let cut = 0; cut <= CALL.length; cut++) {
    for (const reason of ["stop", "length", null]) {
      const { ran, settings } = scripted([CALL.slice(0, cut), "7"], reason);
      const calls = [];
      for await (const part of streamText({ ...settings, stopWhen: stepCountIs(1) }).fullStream) {
        if (part.type === "tool-call") calls.push(part.input);
      }
      // Its JSON is balanced, or there is no call. Whether one runs behind which the model was cut, the SDK decides.
      const expected = cut < balanced ? [] : [{ city: "Bern" }];
      assert.deepEqual(calls, expected, `${reason} at ${cut}`);
      assert.deepEqual(ran, reason === "stop" ? expected : ran.slice(0, calls.length), `${reason} at ${cut}`);
      if (!reason) continue;
      const generated = scripted([CALL.slice(0, cut), "7"], reason);
      const { toolCalls } = await generateText({ ...generated.settings, stopWhen: stepCountIs(1) });
      assert.deepEqual(toolCalls.map(({ input }) => input), expected, `${reason} at ${cut}, not streamed`);
    }
  }
});

test(`${name}: that a tool must be called is refused with a warning, and of one tool alone the model is told`, async () => {
  for (const toolChoice of ["required", { type: "tool", toolName: "weather" }, "auto"]) {
    const { asked, settings } = scripted([CALL, CALL, "Seven."]);
    const given = { ...settings, tools: { ...settings.tools, other: settings.tools.weather }, stopWhen: stepCountIs(1), toolChoice };
    const result = streamText(given);
    await result.consumeStream();
    for (const warnings of [await result.warnings, (await generateText(given)).warnings]) {
      assert.deepEqual(warnings.map(({ type, feature }) => [type, feature]), toolChoice === "auto" ? [] : [["unsupported", "toolChoice"]]);
    }
    // A choice that is not kept is an error of the SDK's own.
    if (toolChoice !== "auto") await assert.rejects(generateText(given), { name: "AI_ToolChoiceViolationError" });
    for (const { prompt: [{ content }], toolChoice: passed } of asked) {
      assert.ok(content.includes('"name": "weather"') && passed === undefined);
      assert.equal(content.includes('"name": "other"'), typeof toolChoice === "string");
    }
  }
});

test(`${name}: a broken call is answered with an error, and the model tries again`, async () => {
  const broken = CALL.replace('"Bern"}', "Bern}");
  for (const ask of [async settings => (await generateText(settings)).steps, async settings => streamText(settings).steps]) {
    const { asked, ran, settings } = scripted([broken, CALL, "It is 7 degrees."]);
    const steps = await ask({ ...settings, stopWhen: stepCountIs(4) });
    assert.deepEqual([steps.length, ran, steps[0].finishReason], [3, [{ city: "Bern" }], "tool-calls"]);
    // The SDK says what was wrong in the result; of the arguments it keeps nothing.
    assert.match(asked[1].prompt.at(-1).content[0].text, /^<tool_response>\n.*Invalid input.*weather/s);
  }
  for (const [how, text] of [["text", /<tool_call>/], ["hide", /I look\.\s*$/]]) {
    const { ran, settings } = scripted([broken], "stop", "hermes", { broken: how });
    const result = await generateText(settings);
    assert.match(result.text, text, how);
    assert.deepEqual([ran, result.steps.length, result.finishReason], [[], 1, "stop"], how);
    // A call that nobody sees is a warning of a whole answer, and an error part of a stream.
    const words = /call of `weather` may not run and is hidden: malformed_arguments/;
    assert.equal(result.warnings.filter(({ type, message }) => type === "other" && words.test(message)).length, how === "hide" ? 1 : 0);
    const [parts, errors] = [[], []];
    const streamed = scripted([broken], "stop", "hermes", { broken: how }).settings;
    for await (const part of streamText({ ...streamed, onError: ({ error }) => errors.push(error.message) }).fullStream) parts.push(part.type);
    assert.equal(parts.includes("error"), how === "hide", how);
    assert.ok(how === "text" || words.test(errors.join()), `${errors}`);
  }
});

test(`${name}: the SDK's function of repair gets a broken call as the model wrote it`, async () => {
  const broken = CALL.replace('"Bern"}', "Bern}");
  for (const ask of [async settings => (await generateText(settings)).text, async settings => streamText(settings).text]) {
    const { ran, settings } = scripted([broken, "It is 7 degrees."]);
    const inputs = [];
    const repair = async ({ toolCall }) => {
      inputs.push(toolCall.input);
      return { ...toolCall, input: '{"city": "Bern"}' };
    };
    const text = await ask({ ...settings, experimental_repairToolCall: repair });
    assert.deepEqual([inputs, ran, text], [['{"city": Bern}'], [{ city: "Bern" }], "It is 7 degrees."]);
  }
});

test(`${name}: arguments that are JSON and may not run stay none`, async () => {
  const { ran, settings } = scripted([CALL.replace('"Bern"', "[7]"), "Seven."], "stop", "hermes", { types: "strict" });
  const { steps } = await generateText(settings);
  assert.deepEqual([ran, steps[0].toolCalls.map(({ invalid }) => invalid)], [[], [true]]);
});

test(`${name}: a call that waits until it is whole, and is cut, does not end in silence`, async () => {
  const { ran, settings } = scripted([CALL.slice(0, -40)], "stop", "hermes", { calls: "when_whole" });
  const { finishReason, text } = await generateText(settings);
  assert.deepEqual([ran, finishReason, text.trim()], [[], "length", "I look."]);
});

test(`${name}: an answer that ends in a call has the finish reason of one that was cut`, async () => {
  for (const [reason, expected] of [["stop", "length"], ["content-filter", "content-filter"]]) {
    const { settings } = scripted([CALL.slice(0, -40)], reason);
    assert.equal((await generateText(settings)).finishReason, expected);
  }
});

test(`${name}: images of users and of results stay images`, async () => {
  const image = name === "ai 6" ? { type: "image-data", data: "iVBORw0=", mediaType: "image/png" }
    : { type: "file", data: { type: "data", data: "iVBORw0=" }, mediaType: "image/png" };
  const png = new Uint8Array([137, 80, 78, 71, 13, 10, 26, 10]);
  const { asked, settings } = scripted([CALL, "A chart."]);
  const weather = tool({
    description: "The weather of a city",
    inputSchema: jsonSchema({ type: "object", properties: { city: { type: "string" } } }),
    execute: async () => "chart",
    toModelOutput: () => ({ type: "content", value: [{ type: "text", text: "The chart:" }, image] }),
  });
  const user = { role: "user", content: [{ type: "text", text: "The weather?" }, { type: "file", data: png, mediaType: "image/png" }] };
  await generateText({ ...settings, prompt: [user], tools: { weather } });
  const [, asks, , result] = asked[1].prompt;
  const bytes = ({ data }) => data instanceof Uint8Array ? data : data.data;
  assert.deepEqual([...bytes(asks.content[1])], [...png]);
  assert.deepEqual(result.content.map(({ type }) => type), ["text", "file"]);
  assert.equal(result.content[0].text, "<tool_response>\nThe chart:\n[image]\n</tool_response>");
  assert.deepEqual([result.content[1].mediaType, result.content[1].data.data ?? result.content[1].data], ["image/png", "iVBORw0="]);
});
}
