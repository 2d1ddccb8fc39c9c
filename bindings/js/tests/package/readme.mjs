// The blocks of the README, each with what it says: the block `text` behind it.

import { readFileSync } from "node:fs";

const readme = readFileSync(new URL("../../README.md", import.meta.url), "utf8");
export const BLOCKS = [...readme.matchAll(/^```js\n([^]*?)^```$(?:\n\n```text\n([^]*?)^```$)?/gm)]
  .map(([, text, says]) => ({ text, says, name: `block.${text.includes("require(") ? "cjs" : "js"}` }));
