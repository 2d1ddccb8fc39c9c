// toolstream for Node, browsers and Deno: one module, one artefact. `ci` makes the folder `wasm`.

import init, { RawParser, dialectOfModel, dialects, rules as rulesOf } from "./wasm/wasm.js";

const url = new URL("./wasm/wasm_bg.wasm", import.meta.url);
// Node does not fetch files.
const source = url.protocol === "file:" ? (await import("node:fs/promises")).readFile(url) : url;
await init({ module_or_path: await source });

export { dialectOfModel, dialects };

const named = dialect => typeof dialect === "string" ? dialect : JSON.stringify(dialect);

export function rules(dialect) { return JSON.parse(rulesOf(named(dialect))); }

export class Parser {
  #raw;
  /** The first half of a surrogate pair, which the chunk before ended with. */
  #half = "";

  constructor(dialect, { tools = [], ...options } = {}) {
    this.#raw = new RawParser(named(dialect), JSON.stringify(tools), JSON.stringify(options));
  }

  feed(chunk) { return JSON.parse(this.#raw.feed(this.#whole(chunk))); }
  feedBytes(chunk) { return JSON.parse(this.#raw.feedBytes(chunk)); }
  finish() { return this.#end(false); }
  finishCut() { return this.#end(true); }

  feedDeltas(chunk) { return JSON.parse(this.#raw.feedDeltas(this.#whole(chunk))); }
  finishDeltas() { return this.#endDeltas(false); }
  finishCutDeltas() { return this.#endDeltas(true); }

  get message() { return JSON.parse(this.#raw.message()); }
  get partialCall() { return JSON.parse(this.#raw.partialCall()); }
  get held() { return this.#raw.held(); }

  reset() {
    this.#half = "";
    this.#raw.reset();
  }

  free() { this.#raw.free(); }

  systemPrompt() { return this.#raw.systemPrompt(); }
  stopSequences() { return this.#raw.stopSequences(); }
  renderCall(name, input) { return this.#raw.renderCall(name, JSON.stringify(input)); }
  renderHistory(messages) { return JSON.parse(this.#raw.renderHistory(JSON.stringify(messages))); }

  /** The chunk, but for half a pair at its end: in UTF-8 that would be lost. */
  #whole(chunk) {
    const text = this.#half + chunk;
    this.#half = /[\ud800-\udbff]$/.exec(text)?.[0] ?? "";
    return text.slice(0, text.length - this.#half.length);
  }

  /** A half that stays alone is U+FFFD. */
  #end(cut) {
    const events = this.#half ? JSON.parse(this.#raw.feed(this.#half)) : [];
    this.#half = "";
    return [...events, ...JSON.parse(this.#raw.finish(cut))];
  }

  #endDeltas(cut) {
    const deltas = this.#half ? JSON.parse(this.#raw.feedDeltas(this.#half)) : [];
    this.#half = "";
    return [...deltas, ...JSON.parse(this.#raw.finishDeltas(cut))];
  }
}
