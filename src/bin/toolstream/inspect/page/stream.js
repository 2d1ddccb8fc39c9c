// A recorded stream, without a page: what holds after each step of a run. Offsets are bytes, as the parser
// counts them; `index` and `byte` translate to and from places in the string.

const CLASSES = {
  text_content: "text", reasoning: "reasoning", markup: "markup", param_delta: "value", arguments_delta: "value",
};

/** The number of leading items for which `holds` is true; it is true for none behind one for which it is not. */
function leading(length, holds) {
  let [from, to] = [0, length];
  while (from < to) {
    const middle = (from + to) >> 1;
    if (holds(middle)) from = middle + 1; else to = middle;
  }
  return from;
}

class Stream {
  constructor(recording) {
    Object.assign(this, recording);
    this.#number();
    this.slices = [...this.events.keys()].filter(at => this.events[at].event.type in CLASSES);
    this.blocks = this.#blocks();
  }

  /** Translates between bytes of UTF-8 and places in the string. */
  #number() {
    const { text } = this;
    this.byteOf = new Uint32Array(text.length + 1);
    let byte = 0;
    for (let at = 0; at < text.length; at++) {
      this.byteOf[at] = byte;
      const unit = text.charCodeAt(at);
      // Each half of a pair counts two of its four bytes.
      byte += unit < 0x80 ? 1 : unit < 0x800 || (unit & 0xF800) === 0xD800 ? 2 : 3;
    }
    this.byteOf[text.length] = this.bytes = byte;
  }

  byte(index) { return this.byteOf[index]; }

  /** The place in the string of the character that this byte is of. */
  index(byte) {
    const at = leading(this.byteOf.length, at => this.byteOf[at] <= byte) - 1;
    return (this.text.charCodeAt(at) & 0xFC00) === 0xDC00 ? at - 1 : at;
  }

  slice(from, to) { return this.text.slice(this.index(from), this.index(to)); }

  /** The message's blocks: which events they are made of. */
  #blocks() {
    const blocks = [];
    let [calls, call] = [0, null];
    this.events.forEach(({ event }, at) => {
      const type = event.type;
      if (type === "tool_start") blocks.push(call = { type: "call", from: at, to: at + 1, number: calls++ });
      else if (call) call.to = at + 1;
      else if (type === "text_content" || type === "reasoning") {
        const last = blocks.at(-1);
        if (last?.type === type) last.to = at + 1; else blocks.push({ type, from: at, to: at + 1 });
      }
      if (type === "tool_end") call = null;
    });
    this.calls = this.message.content.filter(block => block.type === "tool_use");
    return blocks;
  }

  /** The events of the run of this number, with the step of each. */
  run(number) {
    const run = this.runs[number];
    let step = 0;
    run.steps ??= run.times.map(distance => step += distance);
    return run;
  }

  /** The last step: the end of the stream. */
  last(run) { return run.chunks + 1; }

  fed(run, step) { return Math.min(step * (run.size ?? this.bytes), this.bytes); }

  /** How many bytes had left after a step. */
  left(run, step) {
    const at = leading(run.left.length, at => run.left[at][0] <= step) - 1;
    return (at < 0 ? null : run.left[at][1]) ?? this.fed(run, step);
  }

  /** With which step a byte came, and with which it left. */
  times(run, byte) {
    const came = Math.floor(byte / (run.size ?? Math.max(this.bytes, 1))) + 1;
    return { came, left: leading(this.last(run) + 1, step => this.left(run, step) <= byte) };
  }

  /** How many events had begun after a step. */
  begun(run, step) { return leading(run.steps.length, at => run.steps[at] <= step); }

  /** The slice event that a byte is of. */
  piece(byte) {
    return this.slices[leading(this.slices.length, at => this.events[this.slices[at]].from <= byte) - 1];
  }

  /** The last `most` blocks of the message after a step, and how many came before them. */
  messageAt(run, step, most) {
    const begun = this.begun(run, step);
    const known = leading(this.blocks.length, at => this.blocks[at].from < begun);
    const before = Math.max(0, known - most);
    const content = this.blocks.slice(before, known).map(block => this.blockAt(block, run, step));
    if (step < this.last(run)) return { before, message: { content } };
    return { before, message: { ...this.message, content: this.message.content.slice(before) } };
  }

  /** A block of the message as the events up to a step tell it; a call that is over as it was read. */
  blockAt(block, run, step) {
    const [begun, left] = [this.begun(run, step), this.left(run, step)];
    if (block.type !== "call") {
      const pieces = this.events.slice(block.from, Math.min(block.to, begun));
      const text = pieces.filter(({ event }) => event.type === block.type)
        .map(({ from, to }) => this.slice(from, Math.min(to, left))).join("");
      return { type: block.type === "reasoning" ? "reasoning" : "text", text };
    }
    if (block.to <= begun) return this.calls[block.number];
    const { name, id } = this.events[block.from].event;
    return { type: "tool_use", name, id, input: this.#input(block, begun, left), status: "open" };
  }

  /** The arguments of an open call. */
  #input(block, begun, left) {
    const root = { input: {} };
    let looked = -1;
    const first = leading(this.growth.length, at => this.growth[at].events <= block.from);
    for (let at = first; at < this.growth.length; at++) {
      const { events, at: byte, path, set, append } = this.growth[at];
      if (events > begun || byte > left || events > block.to) break;
      looked = byte;
      const keys = ["input", ...path];
      const last = keys.pop();
      const parent = keys.reduce((value, key) => value[key], root);
      // What was set is changed by what follows, here and not in the recording.
      if (append === undefined) parent[last] = structuredClone(set); else parent[last] += append;
    }
    if (looked >= 0) this.#goOn(root, begun, looked, left);
    return root.input;
  }

  /** What has come since the last look, where it is the next part of the text that grows, as it stands there. */
  #goOn(root, begun, looked, left) {
    const { event: { type }, from } = this.events[begun - 1];
    if (looked >= left || from >= looked || CLASSES[type] !== "value") return;
    const more = this.slice(looked, left).trimEnd();
    if (type === "arguments_delta" && /["\\]/.test(more)) return;
    let [parent, key] = [root, "input"];
    while (parent[key] && typeof parent[key] === "object") {
      parent = parent[key];
      key = Object.keys(parent).at(-1);
    }
    const before = this.slice(Math.max(from, looked - 16), looked);
    const bare = before.trimEnd();
    // Behind a quote or an escape of JSON it may be another text. White space at the end may wait for what follows it.
    if (typeof parent[key] !== "string" || !bare || (type === "arguments_delta" && /["\\]$/.test(bare))) return;
    if (parent[key].endsWith(before)) parent[key] += more;
    else if (parent[key].endsWith(bare)) parent[key] += before.slice(bare.length) + more;
  }
}
