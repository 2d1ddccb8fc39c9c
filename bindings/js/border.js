// The border to the module: chunks go in as bytes, and events come out as records. `src/wire.rs` is the other side.

import { initSync } from "./wasm/wasm.js";

const encoder = new TextEncoder();
const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
/** The buffer of a stream has so many bytes. */
const INPUT = 1024;
/** A chunk of so many UTF-16 units fits, whatever they are. */
export const SHORT = Math.floor(INPUT / 3);
/** Texts of so few bytes are copied one by one: calling an encoder or a decoder would cost more. */
const FEW = 32;
/** The number of a field that is absent. */
const NONE = 0xffffffff;

let memory;
let bytes = new Uint8Array();
let numbers = new Uint32Array();

/** Starts the module: `source` is its bytes, or a WebAssembly.Module. */
export function start(source) {
  memory = initSync({ module: source }).memory;
}

/** A memory that grew has another buffer, and views of the old one are empty. */
function look() {
  if (bytes.length > 0) return;
  bytes = new Uint8Array(memory.buffer);
  numbers = new Uint32Array(memory.buffer);
}

/** Writes a short chunk into the buffer of a stream: the number of its bytes. */
export function write(chunk, at) {
  look();
  const { length } = chunk;
  if (length > FEW) return encode(chunk, at);
  for (let unit = 0; unit < length; unit++) {
    const code = chunk.charCodeAt(unit);
    if (code > 127) return encode(chunk, at);
    bytes[at + unit] = code;
  }
  return length;
}

const encode = (chunk, at) => encoder.encodeInto(chunk, bytes.subarray(at, at + INPUT)).written;

// The records of one chunk are read from here on.
let nextNumber = 0;
let nextText = 0;

const number = () => numbers[nextNumber++];
const optional = () => orNull(number());
const orNull = number => number === NONE ? null : number;
const text = () => decode(number());

function optionalText() {
  const length = number();
  return length === NONE ? null : decode(length);
}

function decode(length) {
  const from = nextText;
  nextText += length;
  if (length > FEW) return decoder.decode(bytes.subarray(from, nextText));
  let text = "";
  for (let at = from; at < nextText; at++) {
    if (bytes[at] > 127) return decoder.decode(bytes.subarray(from, nextText));
    text += String.fromCharCode(bytes[at]);
  }
  return text;
}

/** Slices of the stream, by their tags. */
const SLICES = [null, "text_content", "reasoning", "markup", "param_delta", "arguments_delta", "content", "arguments"];
/** Other events and deltas, by the tags behind those. */
const RECORDS = [
  () => ({ type: "tool_start", index: number(), name: text(), id: optionalText(), at: number() }),
  () => ({ type: "tool_id", id: text() }),
  () => ({ type: "param_start", name: text(), hint: optionalText() }),
  () => ({ type: "param_end", closed: number() === 1 }),
  () => ({ type: "tool_end", status: text(), cause: optionalText(), at: number() }),
  () => ({ type: "answer_start" }),
  () => ({ type: "opaque", of: text(), json: text() }),
  () => ({ type: "tool_limit_reached", at: number(), limit: number() }),
  () => ({ type: "diagnostic", kind: text(), at: number(), call: optional() }),
  () => ({ type: "call", index: number(), name: text(), id: optionalText() }),
  () => ({ type: "call_end", may_run: number() === 1, reason: optionalText() }),
];

/** The events or deltas of a chunk: `code` is what the stream said of them. */
export function records(stream, code, chunk) {
  if (code === 0) return [];
  // All of the chunk came through as one slice. (Half a surrogate pair was read as U+FFFD.)
  if (code < 0) return [{ type: SLICES[-code], text: chunk.toWellFormed() }];
  look();
  nextNumber = stream.numbers() / numbers.BYTES_PER_ELEMENT;
  nextText = stream.texts();
  const [all, end] = [[], nextNumber + code];
  while (nextNumber < end) {
    const tag = number();
    all.push(tag < SLICES.length ? { type: SLICES[tag], text: text() } : RECORDS[tag - SLICES.length]());
  }
  return all;
}
