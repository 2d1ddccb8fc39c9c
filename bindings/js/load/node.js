// toolstream in Node: the module is a file.

import { readFileSync } from "node:fs";
import { start } from "../border.js";

start(readFileSync(new URL("../wasm/wasm_bg.wasm", import.meta.url)));

export * from "../index.js";
