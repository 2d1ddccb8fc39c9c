// The lists of index.d.ts are those of the crate.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import * as toolstream from "toolstream";

const read = name => readFileSync(new URL(name, import.meta.url), "utf8");
const declared = read("../index.d.ts");
/** The text of a declaration. */
const of = (begin, end) => declared.slice(declared.indexOf(begin)).split(end)[0];

test("each option of the crate is declared, and no other", () => {
  const known = config => {
    try {
      config();
    } catch ({ message }) {
      return message.split(" are ")[1].split(", ").sort();
    }
  };
  const options = begin => [...of(begin, "\n}").matchAll(/^  (\w+)\?:/gm)].map(([, name]) => name);
  const shared = options("export interface ReaderOptions");
  const ofCrate = known(() => new toolstream.Parser("hermes", { none: 1 }));
  assert.ok(ofCrate.length > 20);
  const own = [...shared, ...options("export interface Options")].filter(name => !["tools", "limit_by"].includes(name));
  assert.deepEqual(own.sort(), ofCrate);
  const ofReader = known(() => new toolstream.Reader("gemini", { fences: "quote" }));
  assert.deepEqual(shared.filter(name => !["tools", "limit_by"].includes(name)).sort(), ofReader);
});

test("each kind of a diagnostic is declared, as in Python", () => {
  const words = text => [...text.matchAll(/"(\w+)"/g)].map(([, word]) => word);
  const stub = read("../../python/python/toolstream_rs/_toolstream.pyi");
  const kinds = words(stub.slice(stub.indexOf("_Kind = Literal[")).split("]")[0]);
  assert.ok(kinds.length > 30);
  assert.deepEqual(words(of("export type DiagnosticKind", ";")), kinds);
});

test("each function and class is declared, with its methods", () => {
  const names = [...declared.matchAll(/^export (?:class|function) (\w+)/gm)].map(([, name]) => name);
  assert.deepEqual(names.sort(), Object.keys(toolstream).sort());
  for (const name of ["Parser", "Reader", "EventWriter"]) {
    const { prototype } = toolstream[name];
    const methods = [...Object.getOwnPropertyNames(prototype), ...(name === "EventWriter" ? [] : Object.getOwnPropertyNames(Object.getPrototypeOf(prototype)))];
    const text = of(`export class ${name} `, "\n}") + (name === "EventWriter" ? "" : of("declare class Reading", "\n}"));
    const said = [...text.matchAll(/^  (?:readonly )?(\w+)[(:]/gm)].map(([, name]) => name);
    assert.deepEqual([...new Set(said)].filter(name => name !== "constructor").sort(), [...new Set(methods)].filter(name => name !== "constructor").sort(), name);
  }
});
