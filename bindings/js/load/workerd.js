// toolstream in Cloudflare's workers, which compile no bytes at run time: the module is imported.

import module from "../wasm/wasm_bg.wasm";
import { start } from "../border.js";

start(module);

export * from "../index.js";
