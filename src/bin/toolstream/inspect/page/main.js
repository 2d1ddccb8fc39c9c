// The page: what the controls do.

const $ = id => document.getElementById(id);
const recordings = JSON.parse($("data").textContent);
/** So many blocks and events are shown, the last ones; and so much of a text in the message. */
const MOST_BLOCKS = 20, MOST_EVENTS = 200, MOST_TEXT = 2000;

let stream, run, step, note = -1;
const view = new TextView($("text"), pick);

function element(name, text, attributes = {}) {
  const made = document.createElement(name);
  made.textContent = text;
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  return made;
}

/** A text of the model's on one line, with nothing in it that could hide. */
const shown = text => [...text].map(visible).join("");
const count = (number, what) => `${number.toLocaleString("en")} ${what}${number === 1 ? "" : "s"}`;
const chunksOf = ({ size }) => size === null ? "the whole text" : count(size, "byte");

function openFile(number) {
  const recording = recordings[number];
  stream = recording.stream ??= new Stream(recording);
  stream.noted ??= new Set(stream.notes.map(({ at }) => stream.byte(stream.index(at))));
  const invalid = stream.invalid ? ` · ${count(stream.invalid, "sequence")} no UTF-8, read as U+FFFD` : "";
  const end = stream.ended === "cut" ? "the stream was cut" : "the model ended";
  $("about").textContent = `${shown(stream.file)} · ${stream.dialect} · ${count(stream.bytes, "byte")} · ${end}${invalid}`;
  $("size").replaceChildren(...stream.runs.map((run, at) => element("option", chunksOf(run), { value: at })));
  view.picked = undefined;
  note = -1;
  listNotes();
  listCuts();
  openRun(0);
  view.show(stream);
}

function openRun(number) {
  run = stream.run(number);
  $("time").max = stream.last(run);
  go(stream.last(run));
}

/** Shows what holds after a step. */
function go(to) {
  step = Math.max(0, Math.min(stream.last(run), to));
  const [fed, left] = [stream.fed(run, step), stream.left(run, step)];
  const over = step === stream.last(run);
  const says = over ? "the stream is over" : `chunk ${step.toLocaleString("en")} of ${run.chunks.toLocaleString("en")}`;
  $("time").value = step;
  $("time").setAttribute("aria-valuetext", says);
  $("status").textContent = `${says} · ${count(fed, "byte")} came · ${fed - left} held`;
  view.set(run, step);
  if (!over) view.reveal(Math.max(0, fed - 1));
  showMessage();
  showEvents();
}

function showMessage() {
  if ($("panel-message").hidden) return;
  const { before, message } = stream.messageAt(run, step, MOST_BLOCKS);
  const short = (key, value) => {
    if (typeof value !== "string" || value.length <= MOST_TEXT) return value;
    const half = MOST_TEXT / 2;
    return `${value.slice(0, half)} … ${count(value.length - MOST_TEXT, "character")} … ${value.slice(-half)}`;
  };
  $("more-blocks").textContent = before ? `${count(before, "block")} before these` : "";
  $("message").textContent = [...JSON.stringify(message, short, 2)]
    .map(character => character === "\n" ? character : visible(character)).join("");
  // What comes, comes at the end.
  if (step < stream.last(run)) $("panel-message").scrollTop = $("panel-message").scrollHeight;
}

function showEvents() {
  if ($("panel-events").hidden) return;
  const begun = stream.begun(run, step), left = stream.left(run, step);
  const first = Math.max(0, begun - MOST_EVENTS);
  $("more-events").textContent = first ? `${count(first, "event")} before these` : "";
  $("events").start = first + 1;
  $("events").replaceChildren(...stream.events.slice(first, begun).map(({ event, from, to }) => {
    const { type, ...rest } = event;
    const line = element("li", "");
    const says = type in CLASSES ? JSON.stringify(stream.slice(from, Math.min(to, left, from + 200))) : JSON.stringify(rest);
    line.append(element("b", type), ` ${shown(says)}`);
    return line;
  }));
  $("panel-events").scrollTop = $("panel-events").scrollHeight;
}

function listNotes() {
  const more = stream.more_notes ? `${count(stream.more_notes, "note")} more are left out. ` : "";
  $("more-notes").textContent = stream.notes.length ? more : "There is nothing to be noted.";
  $("notes").replaceChildren(...stream.notes.map(({ at, about, says }, number) => {
    const line = element("li", "");
    const button = element("button", shown(says), { type: "button", class: about });
    button.append(element("small", ` byte ${at}`));
    button.addEventListener("click", () => goToNote(number));
    line.append(button);
    return line;
  }));
}

function goToNote(number) {
  if (!stream.notes.length) return;
  note = (number + stream.notes.length) % stream.notes.length;
  const { at, says } = stream.notes[note];
  pick(at);
  $("here").textContent = `${shown(says)} — ${$("here").textContent}`;
}

function listCuts() {
  $("cuts").replaceChildren(...stream.runs.map(run => {
    const line = document.createElement("tr");
    const cells = [run.chunks, run.emitted, run.times.length, count(run.most_held, "byte"), run.differs ?? "the same ✓"];
    line.append(element("th", chunksOf(run), { scope: "row" }), ...cells.map(cell => element("td", shown(`${cell}`))));
    line.lastChild.className = run.differs ? "bad" : "good";
    return line;
  }));
}

/** Says what the stretch is that a byte is of. */
function pick(byte) {
  view.picked = stream.piece(Math.min(byte, stream.bytes - 1));
  if (view.picked === undefined) return;
  const { from, to, event } = stream.events[view.picked];
  const [first, last] = [stream.times(run, from), stream.times(run, to - 1)];
  const held = first.left - first.came;
  const waited = held ? `its first byte was held for ${count(held, "chunk")}` : "its first byte left at once";
  const left = last.left > run.chunks ? "at the end" : `with chunk ${last.left}`;
  $("here").textContent =
    `${event.type}, bytes ${from} to ${to}: came from chunk ${first.came} on, ${waited}, its last left ${left}.`;
  view.reveal(byte);
  view.draw();
}

/** The stretch before or behind the one that is chosen. */
function pickNext(by) {
  const at = view.picked === undefined ? -1 : stream.slices.indexOf(view.picked);
  const next = stream.slices[Math.max(0, Math.min(stream.slices.length - 1, at + by))];
  if (next !== undefined) pick(stream.events[next].from);
}

const tabs = [...document.querySelectorAll("[role=tab]")];
function openTab(chosen, focus = false) {
  for (const tab of tabs) {
    tab.setAttribute("aria-selected", tab === chosen);
    tab.tabIndex = tab === chosen ? 0 : -1;
    $(tab.getAttribute("aria-controls")).hidden = tab !== chosen;
  }
  if (focus) chosen.focus();
  if (run) {
    showMessage();
    showEvents();
  }
}
tabs.forEach((tab, at) => {
  tab.addEventListener("click", () => openTab(tab));
  tab.addEventListener("keydown", ({ key }) => {
    const by = { ArrowRight: 1, ArrowLeft: -1 }[key];
    if (by) openTab(tabs[(at + by + tabs.length) % tabs.length], true);
  });
});

const KEYS = {
  ArrowRight: () => go(step + 1), ArrowLeft: () => go(step - 1),
  Home: () => go(0), End: () => go(stream.last(run)),
  n: () => goToNote(note + 1), p: () => goToNote(note < 0 ? -1 : note - 1),
  j: () => pickNext(1), k: () => pickNext(-1),
};
document.addEventListener("keydown", event => {
  const { target, key, ctrlKey, altKey, metaKey } = event;
  const own = target.matches("input, select, textarea, summary") || (target.matches("[role=tab]") && key.startsWith("Arrow"));
  if (!run || own || ctrlKey || altKey || metaKey || !(key in KEYS)) return;
  event.preventDefault();
  KEYS[key]();
});
$("time").addEventListener("input", () => go(Number($("time").value)));
$("back").addEventListener("click", () => go(step - 1));
$("on").addEventListener("click", () => go(step + 1));
$("size").addEventListener("change", () => openRun(Number($("size").value)));
$("file").replaceChildren(...recordings.map(({ file }, at) => element("option", shown(file), { value: at })));
$("file").addEventListener("change", () => openFile(Number($("file").value)));
$("of-file").hidden = recordings.length < 2;
openTab(tabs[0]);
// The playground has none yet.
if (recordings.length) openFile(0);
