// A text, read by the parser in chunks of several sizes: the recording that the page shows. `toolstream inspect`
// writes the same of a file.

const SLICES = new Set(["text_content", "reasoning", "markup", "param_delta", "arguments_delta"]);
/** In a longer text the finest chunks are left out: bytes of it. */
const LARGE = 1 << 17;
/** So many notes are kept; how many more there are is told. */
const NOTES = 2000;
/** The next look at the arguments comes after one byte of so many of a call. */
const LOOKS = 64;

/** `make` gives a fresh parser. */
export function record(make, text, ended, dialect) {
  const bytes = new TextEncoder().encode(text);
  const sizes = bytes.length > LARGE ? [64, 1024, null] : [1, 7, 64, null];
  const growth = [];
  const whole = play(make, bytes, null, ended);
  const runs = sizes.map((size, number) => {
    // The finest run looks at the arguments.
    const { run, events } = size ? play(make, bytes, size, ended, number ? null : growth) : whole;
    return { ...run, differs: difference(events, whole.events) };
  });
  const { events, message } = whole;
  const noted = notes(events, message);
  return {
    // As it was read: half a surrogate pair is U+FFFD.
    file: "your text", dialect, ended, text: new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes), invalid: 0,
    events, growth, notes: noted.slice(0, NOTES), more_notes: Math.max(0, noted.length - NOTES), runs, message,
  };
}

/** Reads the bytes in chunks of a size, or whole: the events, neighbours of a kind joined, and when they came. */
function play(make, bytes, size, ended, growth) {
  const parser = make();
  const [events, times, left] = [[], [], []];
  const looks = growth && looker(parser, events, growth);
  let [step, told, at, before, most] = [0, 0, 0, 0, 0];
  const take = ({ text, ...event }) => {
    told++;
    const from = at;
    const slice = SLICES.has(event.type);
    if (slice) at += utf8(text);
    const last = events.at(-1);
    if (slice && last?.event.type === event.type) {
      last.to = at;
      return;
    }
    events.push({ from, to: at, event });
    times.push(step - before);
    before = step;
  };
  const over = fed => {
    most = Math.max(most, fed - at);
    const expected = left.length ? left.at(-1)[1] ?? fed : fed;
    if (at !== expected) left.push([step, at === fed ? null : at]);
    looks?.(at);
  };
  const chunk = size ?? Math.max(bytes.length, 1);
  for (let from = 0; from < bytes.length; from += chunk) {
    step++;
    parser.feedBytes(bytes.subarray(from, from + chunk)).forEach(take);
    over(Math.min(from + chunk, bytes.length));
  }
  const chunks = step++;
  (ended === "cut" ? parser.finishCut() : parser.finish()).forEach(take);
  over(bytes.length);
  const { message } = parser;
  parser.free();
  return { events, message, run: { size, chunks, times, left, most_held: most, told } };
}

/** Looks at the arguments of the open call, the less often the longer it is. */
function looker(parser, events, growth) {
  let [seen, start, looked] = [0, 0, 0];
  return at => {
    for (; seen < events.length; seen++) {
      if (events[seen].event.type === "tool_start") start = looked = events[seen].from;
    }
    if (at < looked + Math.max(1, (at - start) / LOOKS)) return;
    const call = parser.partialCall;
    if (!call) return;
    looked = at;
    growth.push({ events: events.length, at, path: [], set: call.input });
  };
}

/** How many bytes of UTF-8 a text has. */
function utf8(text) {
  let bytes = 0;
  for (const character of text) {
    const code = character.codePointAt(0);
    bytes += code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
  }
  return bytes;
}

/** Notes on places: diagnostics, and whether each call may run. */
function notes(events, { content }) {
  const calls = content.filter(({ type }) => type === "tool_use");
  let ended = 0;
  const all = events.flatMap(({ to, event: { type, kind, at } }) => {
    if (type === "diagnostic") return [{ at, about: "diagnostic", says: `! ${kind} at ${at}` }];
    if (type === "tool_limit_reached") return [{ at, about: "diagnostic", says: `! the tool limit ends the stream at ${at}` }];
    if (type !== "tool_end") return [];
    const { name, status, reason } = calls[ended++];
    const says = status === "complete" ? `✓ ${name}: may run` : `✗ ${name}: may not run: ${reason}`;
    return [{ at: Math.max(0, to - 1), about: status === "complete" ? "call" : "bad_call", says }];
  });
  return all.sort((one, other) => one.at - other.at);
}

/** The first place where a run says something else than the whole text. */
function difference(events, whole) {
  const same = (one, other) => one.from === other?.from && one.to === other.to
    && Object.entries(one.event).every(([key, value]) => value === other.event[key]);
  const at = events.findIndex((told, at) => !same(told, whole[at]));
  if (at < 0 && events.length === whole.length) return null;
  const place = at < 0 ? events.length : at;
  const says = all => JSON.stringify(all[place] ?? "nothing");
  return `event ${place} is ${says(events)}, of the whole text ${says(whole)}`;
}
