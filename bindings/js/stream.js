// A stream that is read, and the methods that parsers and readers share.

import { SHORT, records, write } from "./border.js";

/** The kind of a value, for an error. */
export const kindOf = value =>
  value === null ? "null" : typeof value === "object" ? value.constructor?.name ?? "object" : typeof value;

/** Chunks, less half a surrogate pair at the end of one: in UTF-8 that would be lost. */
export class Halves {
  #half = "";

  whole(chunk) {
    if (typeof chunk !== "string") {
      throw new TypeError(`a chunk is a string, not ${kindOf(chunk)}${chunk instanceof Uint8Array ? ": use feedBytes" : ""}`);
    }
    const text = this.#half === "" ? chunk : this.#half + chunk;
    this.#half = "";
    if ((text.charCodeAt(text.length - 1) & 0xfc00) !== 0xd800) return text;
    this.#half = text.slice(-1);
    return text.slice(0, -1);
  }

  /** The half that stayed alone: it becomes U+FFFD. */
  rest() {
    const half = this.#half;
    this.#half = "";
    return half;
  }
}

export function bytesOf(chunk) {
  if (chunk instanceof Uint8Array) return chunk;
  throw new TypeError(`feedBytes takes a Uint8Array, not ${kindOf(chunk)}${typeof chunk === "string" ? ": use feed" : ""}`);
}

/** An event of a provider's, as text or bytes. */
export function eventOf(event) {
  if (event instanceof Uint8Array) return event;
  const text = typeof event === "object" && event !== null ? JSON.stringify(event) : event;
  if (typeof text !== "string") throw new TypeError(`an event is a string, a Uint8Array or an object, not ${kindOf(event)}`);
  const line = /^\s*(data:|event:|id:|retry:|:)/.exec(text);
  if (line) {
    throw new TypeError(`this is a line of a stream of server-sent events, it begins with \`${line[1]}\`: ` +
      "feed what stands behind `data:`, without it");
  }
  return text;
}

/** A stream of the module's: what may not be done with it is an error in words. */
export class Stream {
  #raw;
  #name;
  /** Errors that the function of `limit_by` threw. */
  #thrown;
  #input;
  #halves = new Halves();
  #over = false;
  #reading = false;

  constructor(raw, name, thrown) {
    this.#raw = raw;
    this.#name = name;
    this.#thrown = thrown;
    this.#input = raw.input();
  }

  get raw() {
    if (this.#raw === null) throw new Error(`this ${this.#name} was freed: make another one`);
    if (this.#reading) throw new Error(`this ${this.#name} is in use: it asks \`limit_by\``);
    return this.#raw;
  }

  text(chunk, deltas) {
    const raw = this.#more();
    const text = this.#halves.whole(chunk);
    this.#reading = true;
    const code = text.length > SHORT ? raw.feedText(text, deltas) : raw.feedInput(write(text, this.#input), deltas);
    return this.#read(code, text);
  }

  /** Bytes, a special token, or a whole event behind what came as text. */
  other(feed, chunk, deltas) {
    const before = this.#flush(this.#more(), deltas);
    this.#reading = true;
    return [...before, ...this.#read(this.#raw[feed](chunk, deltas), "")];
  }

  end(cut, deltas) {
    const before = this.#flush(this.raw, deltas);
    this.#reading = true;
    const last = this.#read(this.#raw.finish(cut, deltas), "");
    this.#over = true;
    return [...before, ...last];
  }

  /** The answer of a function that may ask `limit_by`. */
  asking(ask) {
    const given = ask(this.raw);
    this.#throw();
    return given;
  }

  get thrown() { return this.#thrown; }

  fresh() { return new Stream(this.raw.fresh(), this.#name, this.#thrown); }

  reset() {
    this.raw.reset();
    this.#halves.rest();
    this.#over = false;
  }

  free() {
    if (this.#raw === null) return;
    this.raw.free();
    this.#raw = null;
  }

  #more() {
    if (this.#over) {
      throw new Error("the stream was finished and takes no more chunks: `reset()` begins the next one, or read it with `fresh()`");
    }
    return this.raw;
  }

  #flush(raw, deltas) {
    const half = this.#halves.rest();
    if (half === "") return [];
    this.#reading = true;
    return this.#read(raw.feedText(half, deltas), "\ufffd");
  }

  #read(code, text) {
    this.#reading = false;
    this.#throw();
    return records(this.#raw, code, text);
  }

  #throw() { rethrow(this.#thrown); }
}

/** A function of `limit_by` as the module calls it. What it throws is kept for whoever reads. */
export function asked(limit_by, thrown) {
  return limit_by && ((index, name, previous = null) => {
    try {
      return limit_by({ index, name, previous });
    } catch (error) {
      thrown.push(error);
      return false;
    }
  });
}

/** Throws what a function of `limit_by` threw. */
export function rethrow(thrown) {
  if (thrown.length) throw thrown.shift();
}

export let streamOf;

/** The methods that a parser and a reader share. */
export class Reading {
  #stream;

  static {
    streamOf = reading => #stream in reading ? reading.#stream : null;
  }

  constructor(stream) { this.#stream = stream; }

  finish() { return this.#stream.end(false, false); }
  finishCut() { return this.#stream.end(true, false); }
  finishDeltas() { return this.#stream.end(false, true); }
  finishCutDeltas() { return this.#stream.end(true, true); }

  get message() { return JSON.parse(this.#stream.raw.message()); }
  get partialCall() { return JSON.parse(this.#stream.raw.partialCall()); }
  get refused() { return JSON.parse(this.#stream.raw.refused()); }
  get brokenCalls() { return JSON.parse(this.#stream.raw.brokenCalls()); }
  get held() { return this.#stream.raw.held(); }
  get position() { return this.#stream.raw.position(); }

  correction() { return this.#stream.raw.correction() ?? null; }
  toRequest(provider) { return JSON.parse(this.#stream.raw.toRequest(provider)); }

  reset() { this.#stream.reset(); }
  free() { this.#stream.free(); }
}
