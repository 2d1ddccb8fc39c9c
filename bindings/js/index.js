// toolstream for Node, browsers and Deno: one module, one artefact. `ci` makes the folder `wasm`.

import init, { RawParser, dialectOfModel, dialects, markers as markersOf, splitTools as splitOf } from "./wasm/wasm.js";

const url = new URL("./wasm/wasm_bg.wasm", import.meta.url);
// Node does not fetch files.
const source = url.protocol === "file:" ? (await import("node:fs/promises")).readFile(url) : url;
await init({ module_or_path: await source });

export { dialectOfModel, dialects };

const named = dialect => typeof dialect === "string" ? dialect : JSON.stringify(dialect);

export function splitTools(tools) { return JSON.parse(splitOf(JSON.stringify(tools ?? []))); }

export function markers(dialect) { return markersOf(named(dialect)); }

export class Parser {
  #raw;
  /** The first half of a surrogate pair, which the chunk before ended with. */
  #half = "";
  /** What the function of `limit_by` threw. */
  #thrown = [];

  constructor(dialect, { tools = [], limit_by, ...options } = {}) {
    const ask = limit_by && ((index, name, previous = null) => {
      try {
        return limit_by({ index, name, previous });
      } catch (error) {
        this.#thrown.push(error);
        return false;
      }
    });
    this.#raw = new RawParser(named(dialect), JSON.stringify(tools), JSON.stringify(options), ask);
  }

  feed(chunk) { return this.#read(this.#raw.feed(this.#whole(chunk))); }
  feedBytes(chunk) { return this.#read(this.#raw.feedBytes(chunk)); }
  finish() { return this.#end(false); }
  finishCut() { return this.#end(true); }

  feedDeltas(chunk) { return this.#read(this.#raw.feedDeltas(this.#whole(chunk))); }
  finishDeltas() { return this.#endDeltas(false); }
  finishCutDeltas() { return this.#endDeltas(true); }

  get message() { return JSON.parse(this.#raw.message()); }
  get partialCall() { return JSON.parse(this.#raw.partialCall()); }
  get refused() { return JSON.parse(this.#raw.refused()); }
  get brokenCalls() { return JSON.parse(this.#raw.brokenCalls()); }
  get held() { return this.#raw.held(); }

  reset() {
    this.#half = "";
    this.#raw.reset();
  }

  free() { this.#raw.free(); }

  correction() { return this.#raw.correction() ?? null; }
  systemPrompt() { return this.#raw.systemPrompt(); }
  stopSequences() { return this.#raw.stopSequences(); }
  callGrammars(format, toolChoice = null) {
    return JSON.parse(this.#raw.callGrammars(format, JSON.stringify(toolChoice)));
  }

  renderCall(name, input) { return this.#raw.renderCall(name, JSON.stringify(input)); }
  renderHistory(messages) { return JSON.parse(this.#raw.renderHistory(JSON.stringify(messages))); }

  renderChat(messages, system = null) {
    return JSON.parse(this.#raw.renderChat(JSON.stringify(messages), JSON.stringify(system)));
  }

  /** What was read, unless a function of the host's threw: the stream has ended before the call that it was asked about. */
  #read(json) {
    if (this.#thrown.length) throw this.#thrown.shift();
    return JSON.parse(json);
  }

  /** The chunk, but for half a pair at its end: in UTF-8 that would be lost. */
  #whole(chunk) {
    const text = this.#half + chunk;
    this.#half = /[\ud800-\udbff]$/.exec(text)?.[0] ?? "";
    return text.slice(0, text.length - this.#half.length);
  }

  /** A half that stays alone is U+FFFD. */
  #end(cut) {
    const before = this.#half ? this.#raw.feed(this.#half) : "[]";
    this.#half = "";
    const last = this.#raw.finish(cut);
    return [...this.#read(before), ...this.#read(last)];
  }

  #endDeltas(cut) {
    const before = this.#half ? this.#raw.feedDeltas(this.#half) : "[]";
    this.#half = "";
    const last = this.#raw.finishDeltas(cut);
    return [...this.#read(before), ...this.#read(last)];
  }
}
