// Lays the playground into a folder, as one page that opens from the disk and that any server may serve:
// `node playground/build.mjs [FOLDER]`, once `wasm/` is there.

import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const here = name => fileURLToPath(new URL(name, import.meta.url));
const page = name => readFileSync(here(`../../../src/bin/toolstream/inspect/page/${name}`), "utf8");
const folder = process.argv[2] ?? here("../target/playground");

/** The page of `toolstream inspect`, with these of its parts replaced. */
function replaced(html, parts) {
  for (const [part, by] of parts) {
    if (html.split(part).length !== 2) throw new Error(`the page of inspect has to have once: ${part}`);
    html = html.replace(part, () => by);
  }
  return html;
}

// The scripts of that page, and behind them the playground with the module.
const { outputFiles: [{ text: playground }] } = await build({
  absWorkingDir: here(".."), entryPoints: ["playground/playground.js"], bundle: true, format: "iife", conditions: ["browser"], write: false,
});
const script = `\n${['"use strict";\n', ...["stream.js", "text.js", "main.js"].map(page), playground].join("")}`;
if (/<\/script|<!--/i.test(script)) throw new Error("the script would end in its middle");
const hash = createHash("sha256").update(script).digest("base64");

const html = replaced(page("page.html"), [
  ["script-src 'unsafe-inline';", `script-src 'sha256-${hash}' 'wasm-unsafe-eval';`],
  ["<title>toolstream inspect</title>", "<title>toolstream playground</title>"],
  ["<h1>toolstream inspect</h1>", "<h1>toolstream playground</h1>"],
  ["\nSTYLE\n", `\n${page("style.css")}${readFileSync(here("playground.css"), "utf8")}`],
  ["<header>", `${readFileSync(here("form.html"), "utf8")}<header>`],
  ["  </div>\n  <div role=\"tabpanel\" id=\"panel-message\"", `    <button type="button" role="tab" id="tab-markers" aria-controls="panel-markers">Markers</button>
  </div>
  <div role="tabpanel" id="panel-markers" aria-labelledby="tab-markers" tabindex="0"><p id="count-markers"></p><ul id="markers"></ul></div>
  <div role="tabpanel" id="panel-message"`],
  [">DATA<", ">[]<"],
  ['<script>\n"use strict";\nSCRIPT\n</script>', `<script>${script}</script>`],
]);

mkdirSync(folder, { recursive: true });
writeFileSync(`${folder}/index.html`, html);
console.log(`the playground: ${folder}/index.html`);
