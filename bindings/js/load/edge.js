// toolstream in Vercel's edge functions, which compile no bytes at run time: the module is imported.

import module from "../wasm/wasm_bg.wasm?module";
import { start } from "../border.js";

start(module);

export * from "../index.js";
