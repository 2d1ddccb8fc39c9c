// The text of a stream, of which only the lines are drawn that are seen.

/** What would hide, reorder or break a line: shown by a sign or its number. */
const HIDDEN = /[\0-\x08\x0b-\x1f\x7f-\x9f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufe00-\ufe0f\ufeff\ufff9-\ufffb]/;
const WIDE = /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|[\ud83c-\ud83e\ud840-\ud8bf][\udc00-\udfff]/;

function visible(character) {
  if (character === "\n") return "⏎";
  if (character === "\t") return "→\u00a0";
  const code = character.codePointAt(0);
  // An emoji's variation selector belongs to it.
  if (!HIDDEN.test(character) || code === 0xfe0f) return character;
  return code < 0x20 ? String.fromCodePoint(0x2400 + code) : `[U+${code.toString(16).toUpperCase().padStart(4, "0")}]`;
}

class TextView {
  /** `box` scrolls; `pick` gets the byte that was clicked. */
  constructor(box, pick) {
    this.box = box;
    this.rows = [];
    this.sheet = document.createElement("div");
    this.sheet.className = "sheet";
    box.append(this.sheet);
    box.addEventListener("scroll", () => this.draw(), { passive: true });
    this.sheet.addEventListener("click", event => {
      const byte = event.target.dataset?.byte;
      if (byte !== undefined) pick(Number(byte));
    });
    new ResizeObserver(() => this.measure()).observe(box);
  }

  show(stream) {
    this.stream = stream;
    this.columns = 0;
    this.box.scrollTop = 0;
    this.measure();
  }

  /** Which state of which run is drawn. */
  set(run, step) {
    Object.assign(this, { run, step });
    this.draw();
  }

  measure() {
    if (!this.stream) return;
    const probe = document.createElement("span");
    probe.textContent = "0".repeat(50);
    this.sheet.replaceChildren(probe);
    const { width, height } = probe.getBoundingClientRect();
    this.height = Math.ceil(height * 1.35);
    const columns = Math.max(12, Math.floor((this.box.clientWidth - 24) / (width / 50)) - 1);
    if (columns !== this.columns) {
      const byte = this.rows.length ? this.stream.byte(this.rows[this.top()]) : 0;
      this.columns = columns;
      this.wrap();
      this.reveal(byte, true);
    }
    this.draw();
  }

  top() { return Math.min(this.rows.length - 1, Math.floor(this.box.scrollTop / this.height)); }

  /** Where each row begins in the string. */
  wrap() {
    const { text } = this.stream;
    this.rows = [0];
    let column = 0;
    for (let at = 0; at < text.length;) {
      const code = text.charCodeAt(at);
      let [units, width] = [1, 1];
      if (code < 0x20 || code >= 0x7f) {
        const character = String.fromCodePoint(text.codePointAt(at));
        units = character.length;
        const shown = visible(character);
        width = WIDE.test(shown) ? 2 : shown.length > 1 && units === 1 ? shown.length : 1;
      }
      if (column + width > this.columns) {
        this.rows.push(at);
        column = 0;
      }
      column += width;
      at += units;
      if (code === 10) {
        this.rows.push(at);
        column = 0;
      }
    }
    this.sheet.style.height = `${this.rows.length * this.height}px`;
  }

  row(index) { return leading(this.rows.length, at => this.rows[at] <= index) - 1; }

  /** Scrolls to a byte, if it is not seen or `always`. */
  reveal(byte, always = false) {
    const y = this.row(this.stream.index(byte)) * this.height;
    const { scrollTop, clientHeight } = this.box;
    if (always || y < scrollTop || y + 2 * this.height > scrollTop + clientHeight) {
      this.box.scrollTop = Math.max(0, y - clientHeight / 3);
    }
  }

  draw() {
    if (!this.run) return;
    const [first, count] = [Math.max(0, this.top() - 5), Math.ceil(this.box.clientHeight / this.height) + 10];
    const drawn = [];
    for (let row = first; row < Math.min(this.rows.length, first + count); row++) {
      const line = document.createElement("div");
      line.className = "row";
      line.style.top = `${row * this.height}px`;
      line.style.height = `${this.height}px`;
      line.append(...this.#spans(this.rows[row], this.rows[row + 1] ?? this.stream.text.length));
      drawn.push(line);
    }
    this.sheet.replaceChildren(...drawn);
  }

  /** A row's stretches of the same kind, from one border of a chunk to the next. */
  #spans(from, to) {
    const { stream, run, step } = this;
    const [fed, left] = [stream.fed(run, step), stream.left(run, step)];
    const spans = [];
    let [last, end] = ["", -1];
    for (let at = from; at < to;) {
      const character = String.fromCodePoint(stream.text.codePointAt(at));
      const byte = stream.byte(at);
      // A character belongs to the chunk with its last byte.
      const whole = byte + (character.length === 2 ? 4 : stream.byte(at + 1) - byte);
      const border = run.size > 3 && Math.floor((whole - 1) / run.size) !== Math.floor((byte - 1) / run.size) && byte > 0;
      const kind = this.#kind(byte, whole, fed, left);
      if (kind !== last || border) {
        const span = document.createElement("span");
        span.className = border ? `${kind} border` : kind;
        span.dataset.byte = byte;
        spans.push(span);
        last = kind;
      }
      const shown = visible(character);
      spans.at(-1).append(shown);
      at += character.length;
      end = at;
    }
    return spans;
  }

  /** The classes of a character: what it is, or that it is held or yet to come. */
  #kind(byte, whole, fed, left) {
    const { stream, run, picked } = this;
    const at = stream.piece(byte);
    const noted = stream.noted.has(byte) ? " noted" : "";
    const chosen = at === picked && picked !== undefined ? " picked" : "";
    if (whole > fed) return `coming${chosen}`;
    if (byte >= left) return `held${chosen}`;
    const times = stream.times(run, byte);
    const waited = times.left > times.came ? " waited" : "";
    return `c-${CLASSES[stream.events[at].event.type]}${waited}${noted}${chosen}`;
  }
}
