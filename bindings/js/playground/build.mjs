// Lays the playground into a folder that any server of files can serve: `node playground/build.mjs [FOLDER]`.

import { cpSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

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

const html = replaced(page("page.html"), [
  ["default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline';",
    "default-src 'none'; style-src 'self'; script-src 'self' 'wasm-unsafe-eval'; connect-src 'self';"],
  ["<title>toolstream inspect</title>", "<title>toolstream playground</title>"],
  ["<h1>toolstream inspect</h1>", "<h1>toolstream playground</h1>"],
  ["<style>\nSTYLE\n</style>", '<link rel="stylesheet" href="page.css">\n<link rel="stylesheet" href="playground.css">'],
  ["<header>", `${readFileSync(here("form.html"), "utf8")}<header>`],
  ["  </div>\n  <div role=\"tabpanel\" id=\"panel-message\"", `    <button type="button" role="tab" id="tab-markers" aria-controls="panel-markers">Markers</button>
  </div>
  <div role="tabpanel" id="panel-markers" aria-labelledby="tab-markers" tabindex="0"><p id="count-markers"></p><ul id="markers"></ul></div>
  <div role="tabpanel" id="panel-message"`],
  [">DATA<", ">[]<"],
  ['<script>\n"use strict";\nSCRIPT\n</script>', '<script src="page.js"></script>\n<script type="module" src="playground.js"></script>'],
]);

mkdirSync(`${folder}/toolstream`, { recursive: true });
writeFileSync(`${folder}/index.html`, html);
writeFileSync(`${folder}/page.css`, page("style.css"));
writeFileSync(`${folder}/page.js`, ['"use strict";\n', ...["stream.js", "text.js", "main.js"].map(page)].join(""));
for (const name of ["playground.css", "playground.js", "record.js"]) cpSync(here(name), `${folder}/${name}`);
cpSync(here("../index.js"), `${folder}/toolstream/index.js`);
cpSync(here("../wasm"), `${folder}/toolstream/wasm`, { recursive: true });
console.log(`the playground: ${folder}`);
