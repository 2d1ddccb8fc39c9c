// Parsers that nobody holds any more give their memory back: `node --expose-gc --test`.

import assert from "node:assert/strict";
import { setTimeout } from "node:timers/promises";
import { test } from "node:test";
import { Parser } from "toolstream";

/** How many of these objects are there after collecting for a while. */
async function left(references) {
  for (let round = 0; round < 50; round++) {
    // An object that was looked at lives to the end of its task, so collecting is for the next one.
    await setTimeout(10);
    globalThis.gc();
    await setTimeout(10);
    if (references.every(reference => !reference.deref())) return 0;
  }
  return references.filter(reference => reference.deref()).length;
}

test("a parser with a function is collected without `free`", async () => {
  assert.ok(globalThis.gc, "run with --expose-gc");
  const functions = [];
  const parsers = Array.from({ length: 20 }, () => {
    const limit_by = () => true;
    functions.push(new WeakRef(limit_by));
    const parser = new Parser("hermes", { limit_by });
    parser.feed('<tool_call>{"name": "f", "arguments": {}}</tool_call>');
    parser.fresh().feed("a");
    return new WeakRef(parser);
  });
  assert.equal(await left(parsers), 0);
  // The module holds them until the memory of its parser is given back.
  assert.equal(await left(functions), 0);
});

test("a function that holds its own parser holds it until `free`", async () => {
  const parsers = Array.from({ length: 2 }, (_, number) => {
    const parser = new Parser("hermes", { limit_by: () => parser.held >= 0 });
    if (number === 0) parser.free();
    return new WeakRef(parser);
  });
  await left(parsers);
  assert.deepEqual(parsers.map(parser => parser.deref() !== undefined), [false, true]);
});
