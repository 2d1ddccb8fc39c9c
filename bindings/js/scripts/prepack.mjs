// Before npm packs: the package has its licences and a whole build, or is not packed.

import { cpSync, readdirSync, statSync } from "node:fs";

const here = name => new URL(`../${name}`, import.meta.url);
for (const name of ["wasm.js", "wasm_bg.wasm", "embedded.js"]) {
  if ((statSync(here(`wasm/${name}`), { throwIfNoEntry: false })?.size ?? 0) > 0) continue;
  console.error(`toolstream is not packed: wasm/${name} is not there, build it first with bindings/js/ci`);
  process.exit(1);
}
for (const name of readdirSync(here("../../")).filter(name => name.startsWith("LICENSE-"))) {
  cpSync(here(`../../${name}`), here(name));
}
