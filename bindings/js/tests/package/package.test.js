// The package as npm packs it, installed from the archive into empty folders.

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import vm from "node:vm";
import { BLOCKS } from "./readme.mjs";

const here = name => fileURLToPath(new URL(name, import.meta.url));
const root = here("../..");
const scratch = mkdtempSync(join(tmpdir(), "toolstream-"));
const EVERYWHERE = readFileSync(here("everywhere.js"), "utf8");
const SAID = "v3: 70 of 70 chunk sizes\n";
let archive;

/** Runs a command, in a folder: its status and its output. It is ended after two minutes. */
async function run(command, args, cwd, env = {}) {
  try {
    const { stdout, stderr } = await promisify(execFile)(command, args, { cwd, timeout: 120_000, env: { ...process.env, ...env } });
    return { status: 0, stdout, stderr };
  } catch (error) {
    if (error.killed) throw error;
    return { status: error.code, stdout: error.stdout ?? "", stderr: error.stderr ?? `${error}` };
  }
}

async function runs(command, args, cwd, env) {
  const done = await run(command, args, cwd, env);
  assert.equal(done.status, 0, `${command} ${args.join(" ")}\n${done.stdout}${done.stderr}`);
  return done.stdout;
}

/** An empty folder in which the archive is installed, with what else it needs, and these files. */
async function folder(name, files, needs = []) {
  const path = join(scratch, name);
  mkdirSync(path);
  writeFileSync(join(path, "package.json"), '{ "type": "module" }');
  await runs("npm", ["install", "--silent", "--no-audit", "--no-fund", "--prefer-offline", archive, ...needs], path);
  for (const [name, text] of Object.entries(files)) writeFileSync(join(path, name), text);
  return path;
}

before(async () => {
  const [{ filename }] = JSON.parse(await runs("npm", ["pack", "--json", "--silent", "--pack-destination", scratch], root));
  archive = join(scratch, filename);
});
after(() => rmSync(scratch, { recursive: true, force: true }));

test("npm packs what is needed, and nothing else", async () => {
  const [{ files }] = JSON.parse(await runs("npm", ["pack", "--dry-run", "--json", "--silent"], root));
  assert.deepEqual(files.map(({ path }) => path).sort(), [
    "LICENSE-APACHE", "LICENSE-MIT", "README.md", "ai.d.ts", "ai.js", "border.js", "index.d.ts", "index.js", "load/edge.js",
    "load/embedded.js", "load/node.js", "load/require.cjs", "load/require.d.cts", "load/workerd.js", "package.json", "stream.js",
    "wasm/embedded.js", "wasm/wasm.js", "wasm/wasm_bg.wasm"]);
});

test("npm packs nothing without a build, and says why", async () => {
  for (const missing of ["wasm_bg.wasm", "embedded.js"]) {
    const copy = join(scratch, `without-${missing}`);
    for (const name of ["package.json", "scripts", "index.js", "wasm"]) cpSync(join(root, name), join(copy, name), { recursive: true });
    rmSync(join(copy, "wasm", missing));
    const { status, stderr } = await run("npm", ["pack", "--dry-run"], copy);
    assert.notEqual(status, 0);
    assert.match(stderr, new RegExp(`wasm/${missing} is not there, build it first`));
  }
});

test("npm would publish it", async () => {
  const { status, stderr } = await run("npm", ["publish", "--dry-run", "--access", "public"], root);
  assert.equal(status, 0, stderr);
});

test("Node imports it, and requires it through its door", async () => {
  const path = await folder("node", {
    "import.js": EVERYWHERE,
    "require.cjs": 'require("toolstream").load().then(({ Parser }) => console.log(new Parser("hermes").feed("a")[0].text));',
  });
  assert.equal(await runs("node", ["import.js"], path), SAID);
  assert.equal(await runs("node", ["--conditions=browser", "import.js"], path), SAID);
  assert.equal(await runs("node", ["require.cjs"], path), "a\n");
});

test("each block of the README runs as it stands, and says what stands behind it", async () => {
  const path = await folder("readme", {}, ["ai@6"]);
  assert.ok(BLOCKS.length >= 7);
  for (const { text, says, name } of BLOCKS) {
    writeFileSync(join(path, name), text);
    assert.equal(await runs("node", [name], path), says, text);
  }
});

test("the middleware has the types of the AI SDK that is installed", async () => {
  const tsc = join(root, "node_modules/typescript/bin/tsc");
  for (const version of [6, 7]) {
    const path = await folder(`types-ai-${version}`, { "types.ts": readFileSync(here("types-ai.ts"), "utf8") }, [`ai@${version}`]);
    await runs("node", [tsc, "--noEmit", "--strict", "--skipLibCheck", "--target", "es2022", "--module", "nodenext", "types.ts"], path);
  }
});

test("Deno imports it, and may read no file for that", async t => {
  const path = await folder("deno", { "deno.json": '{ "nodeModulesDir": "manual" }', "main.js": EVERYWHERE });
  const deno = ["--yes", "deno@2"];
  if ((await run("npx", [...deno, "--version"], scratch)).status !== 0 && process.env.REQUIRE !== "1") return t.skip("npm cannot install Deno here");
  assert.equal(await runs("npx", [...deno, "run", "--no-prompt", "main.js"], path), SAID);
});

test("the types hold, and each typo is an error", async () => {
  const tsc = join(root, "node_modules/typescript/bin/tsc");
  const types = ["--noEmit", "--strict", "--target", "es2022", "--module", "nodenext"];
  const text = readFileSync(here("types.ts"), "utf8");
  const path = await folder("types", {
    "types.ts": text,
    "require.cts": 'import { load } from "toolstream";\nload().then(({ Parser }) => new Parser("hermes").held satisfies number);\n',
  });
  await runs("node", [tsc, ...types, "types.ts", "require.cts"], path);
  // For a bundler, and without the marks the typos are found.
  await runs("node", [tsc, ...types.slice(0, -1), "preserve", "types.ts"], path);
  writeFileSync(join(path, "typos.ts"), text.replaceAll("@ts-expect-error", ""));
  const { stdout } = await run("node", [tsc, ...types, "typos.ts"], path);
  assert.equal(stdout.match(/error TS/g).length, text.match(/@ts-expect-error/g).length, stdout);
});

/** Runs a script that knows nothing of Node: its output. */
function browser(script) {
  let said = "";
  const console = { log: text => said += `${text}\n` };
  vm.runInNewContext(script, { console, TextEncoder, TextDecoder, WebAssembly, FinalizationRegistry });
  return said;
}

const required = createRequire(join(root, "package.json"));
const bundlers = {
  async esbuild(path) {
    const { build } = required("esbuild");
    await build({ absWorkingDir: path, entryPoints: ["main.js"], bundle: true, minify: true, outfile: "out.js", logLevel: "error" });
  },
  async webpack(path) {
    const webpack = required("webpack");
    const stats = await promisify(webpack)({
      context: path, mode: "production", entry: "./main.js", output: { path, filename: "out.js" }, performance: { hints: false },
    });
    assert.deepEqual(stats.toJson().errors, []);
    assert.deepEqual(stats.toJson().warnings, []);
  },
  async rollup(path) {
    const { rollup } = required("rollup");
    const { nodeResolve } = required("@rollup/plugin-node-resolve");
    const warnings = [];
    const bundle = await rollup({
      input: join(path, "main.js"), plugins: [nodeResolve({ browser: true })], onwarn: warning => warnings.push(warning),
    });
    await bundle.write({ file: join(path, "out.js"), format: "iife" });
    assert.deepEqual(warnings, []);
  },
  async vite(path) {
    const { build } = await import(required.resolve("vite").replace(/index\.cjs$/, "dist/node/index.js"));
    const output = { entryFileNames: "out.js", format: "iife" };
    await build({
      root: path, logLevel: "error", configFile: false,
      build: { outDir: ".", emptyOutDir: false, rollupOptions: { input: join(path, "main.js"), output } },
    });
  },
};

for (const [name, bundle] of Object.entries(bundlers)) {
  test(`${name} bundles it for browsers, as one script, without settings`, async () => {
    const path = await folder(name, { "main.js": EVERYWHERE });
    const before = readdirSync(path);
    await bundle(path);
    assert.deepEqual(readdirSync(path).filter(file => !before.includes(file)), ["out.js"]);
    assert.equal(browser(readFileSync(join(path, "out.js"), "utf8")), SAID);
  });
}

test("a worker of Cloudflare's and an edge function get the module as an import", async () => {
  const { build } = required("esbuild");
  const { Miniflare } = required("miniflare");
  const path = await folder("workerd", {
    "main.js": `${EVERYWHERE.replace("console.log(", "const said = (")}
export default { fetch: () => new Response(said + "\\n") };\n`,
  });
  const settings = { absWorkingDir: path, entryPoints: ["main.js"], bundle: true, format: "esm", logLevel: "error" };
  await build({ ...settings, outdir: "out", conditions: ["workerd"], loader: { ".wasm": "copy" }, assetNames: "module" });
  const worker = new Miniflare({
    modulesRoot: join(path, "out"), compatibilityDate: "2026-01-01",
    modules: [
      { type: "ESModule", path: join(path, "out/main.js") },
      { type: "CompiledWasm", path: join(path, "out/module.wasm") },
    ],
  });
  try {
    assert.equal(await (await worker.dispatchFetch("http://worker/")).text(), SAID);
  } finally {
    await worker.dispose();
  }
  await build({ ...settings, outfile: "edge.js", conditions: ["edge-light"], external: ["*.wasm?module"] });
  assert.match(readFileSync(join(path, "edge.js"), "utf8"), /^import \w+ from ".*wasm_bg\.wasm\?module";$/m);
});
