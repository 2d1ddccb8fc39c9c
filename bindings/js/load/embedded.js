// toolstream in browsers, in Deno, and for bundlers: the module is in the script, so that nothing is fetched.

import { start } from "../border.js";
import hex from "../wasm/embedded.js";

const digit = code => code < 58 ? code - 48 : code - 87;
start(Uint8Array.from({ length: hex.length / 2 }, (_, at) =>
  digit(hex.charCodeAt(2 * at)) << 4 | digit(hex.charCodeAt(2 * at + 1))));

export * from "../index.js";
