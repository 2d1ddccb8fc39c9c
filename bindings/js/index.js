// toolstream: the classes and functions of the package. The files in `load` start the module for them.

import {
  RawParser, RawWriter, detect as detected, dialectOfModel as dialectOf, dialects, markers as markersOf, readerStream,
  reasoningMarkers as reasoningMarkersOf, restore, splitTools as splitOf, startOfPrompt,
} from "./wasm/wasm.js";
import { Halves, Reading, Stream, asked, bytesOf, eventOf, kindOf, rethrow, streamOf } from "./stream.js";

export { dialects, restore, startOfPrompt };

export const detect = chatTemplate => detected(chatTemplate) ?? null;

export function dialectOfModel(id) {
  const found = dialectOf(id);
  return found && JSON.parse(found);
}

function named(dialect) {
  if (typeof dialect === "string") return dialect;
  if (typeof dialect === "object" && dialect !== null) return JSON.stringify(dialect);
  throw new TypeError(`a dialect is a name or an object, not ${kindOf(dialect)}`);
}

export function splitTools(tools) { return JSON.parse(splitOf(JSON.stringify(tools ?? []))); }
export function markers(dialect) { return markersOf(named(dialect)); }
export function reasoningMarkers(dialect) { return JSON.parse(reasoningMarkersOf(named(dialect))); }

/** A parser is made of this in `fresh`. */
class Config {
  /** So many parsers write with it. */
  users = 0;

  constructor(raw, thrown) {
    this.raw = raw;
    this.thrown = thrown;
  }
}

let rawParserOf;

export class Parser extends Reading {
  #stream;
  #config;

  static {
    rawParserOf = parser => parser.#raw;
  }

  constructor(dialect, options = {}) {
    const config = dialect instanceof Config ? dialect : configOf(dialect, options);
    const stream = new Stream(config.raw.stream(), "parser", config.thrown);
    super(stream);
    this.#stream = stream;
    this.#config = config;
    config.users++;
  }

  /** The configuration, which writes. */
  get #raw() { return this.#stream.raw && this.#config.raw; }

  feed(chunk) { return this.#stream.text(chunk, false); }
  feedBytes(chunk) { return this.#stream.other("feedBytes", bytesOf(chunk), false); }
  feedSpecial(token) { return this.#stream.other("feedSpecial", tokenOf(token), false); }
  feedDeltas(chunk) { return this.#stream.text(chunk, true); }
  feedSpecialDeltas(token) { return this.#stream.other("feedSpecial", tokenOf(token), true); }

  parse(text) { return JSON.parse(this.#stream.asking(raw => raw.parse(textOf(text)))); }
  explain(text) { return JSON.parse(this.#stream.asking(raw => raw.explain(textOf(text)))); }

  fresh() { return this.#raw && new Parser(this.#config); }

  free() {
    super.free();
    if (this.#config && --this.#config.users === 0) this.#config.raw.free();
    this.#config = null;
  }

  systemPrompt() { return this.#raw.systemPrompt(); }
  stopSequences() { return this.#raw.stopSequences(); }
  grammar(format, toolChoice = null) { return this.#raw.grammar(format, JSON.stringify(toolChoice)); }
  callGrammars(format, toolChoice = null) {
    return JSON.parse(this.#raw.callGrammars(format, JSON.stringify(toolChoice)));
  }

  neutralise(text) { return this.#raw.neutralise(textOf(text)); }
  renderCall(name, input) { return this.#raw.renderCall(name, JSON.stringify(input)); }
  renderResults(results) { return this.#raw.renderResults(JSON.stringify(results.map(result))); }
  renderHistory(messages) { return JSON.parse(this.#raw.renderHistory(JSON.stringify(messages))); }
  renderChat(messages, system = null) {
    return JSON.parse(this.#raw.renderChat(JSON.stringify(messages), JSON.stringify(system)));
  }
}

function configOf(dialect, { tools, limit_by, tool_limit = null, ...options }) {
  const thrown = [];
  const [of, declared, own] = [named(dialect), JSON.stringify(tools ?? []), JSON.stringify({ tool_limit, ...options })];
  return new Config(new RawParser(of, declared, own, asked(limit_by, thrown)), thrown);
}

const string = (value, what) => {
  if (typeof value === "string") return value;
  throw new TypeError(`${what} is a string, not ${kindOf(value)}`);
};
const textOf = text => string(text, "a text");
const tokenOf = token => string(token, "a special token");

/** The keys of a result. */
const RESULT = ["name", "id", "content", "is_error"];

function result(result, at) {
  const key = Object.keys(result).find(key => !RESULT.includes(key));
  if (key) throw new TypeError(`results[${at}] has the key \`${key}\`: the keys of a result are ${RESULT.join(", ")}`);
  for (const key of ["name", "content"]) {
    if (result[key] === undefined) throw new TypeError(`results[${at}] has no \`${key}\``);
  }
  return { id: null, is_error: false, ...result };
}

export class Reader extends Reading {
  #stream;

  constructor(provider, options = {}) {
    const stream = provider instanceof Stream ? provider : readerOf(provider, options);
    super(stream);
    this.#stream = stream;
  }

  feed(event) { return this.#feed(event, false); }
  feedDeltas(event) { return this.#feed(event, true); }
  get envelope() { return JSON.parse(this.#stream.raw.envelope()); }
  fresh() { return new Reader(this.#stream.fresh()); }

  #feed(event, deltas) {
    const own = eventOf(event);
    return this.#stream.other(typeof own === "string" ? "feedText" : "feedBytes", own, deltas);
  }
}

function readerOf(provider, { tools, limit_by, text_calls, ...options }) {
  const thrown = [];
  const of = [string(provider, "a provider"), JSON.stringify(tools ?? []), JSON.stringify(options), asked(limit_by, thrown)];
  const raw = text_calls ? rawParserOf(text_calls).readerStream(...of) : readerStream(...of);
  return new Stream(raw, "reader", thrown);
}

export class EventWriter {
  #raw;
  #ofReader;
  #thrown;
  #halves = new Halves();
  #over = false;

  constructor(protocol, source, options) {
    const stream = streamOf(source);
    if (!stream) throw new TypeError(`a Parser or a Reader is needed, not ${kindOf(source)}`);
    this.#ofReader = source instanceof Reader;
    this.#thrown = stream.thrown;
    this.#raw = new RawWriter(string(protocol, "a protocol"), stream.raw, JSON.stringify(options));
  }

  feed(chunk) {
    const own = this.#ofReader ? eventOf(chunk) : this.#halves.whole(chunk);
    return this.#read(typeof own === "string" ? "feedText" : "feedBytes", own);
  }

  feedBytes(chunk) { return this.#read("feedBytes", bytesOf(chunk)); }
  feedSpecial(token) { return this.#read("feedSpecial", tokenOf(token)); }
  finish() { return this.#end(false); }
  finishCut() { return this.#end(true); }
  fail(what) { return this.#live().fail(textOf(what)); }
  usage(input, output) { this.#live().usage(input, output); }

  get message() { return JSON.parse(this.#live().message()); }
  get contentType() { return this.#live().contentType(); }
  get stopReason() { return this.#live().stopReason(); }
  get brokenCalls() { return JSON.parse(this.#live().calls()).broken; }
  get madeUpIds() { return JSON.parse(this.#live().calls()).madeUpIds; }

  free() {
    this.#raw?.free();
    this.#raw = null;
  }

  #read(feed, chunk) {
    if (this.#over) throw new Error("the answer was finished and takes no more chunks: make another writer");
    const sent = this.#live()[feed](chunk);
    rethrow(this.#thrown);
    return sent;
  }

  #end(cut) {
    const raw = this.#live();
    const half = this.#halves.rest();
    const before = half && !this.#over ? this.#read("feedText", half) : new Uint8Array();
    this.#over = true;
    const last = raw.finish(cut);
    rethrow(this.#thrown);
    return Uint8Array.from([...before, ...last]);
  }

  #live() {
    if (this.#raw) return this.#raw;
    throw new Error("this writer was freed: make another one");
  }
}
