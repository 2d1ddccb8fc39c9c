// The playground, and with it the module, in a headless Chromium. `../../ci` runs it where there is one (CHROMIUM).

import assert from "node:assert/strict";
import { mkdirSync, readFileSync, readdirSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import puppeteer from "puppeteer-core";
import { Parser, dialects, markers } from "toolstream";
import { EXAMPLES } from "../../playground/examples.js";

const { CHROMIUM, SCREENSHOTS } = process.env;
const address = new URL("../../target/playground/index.html", import.meta.url).href;
const vectors = fileURLToPath(new URL("../../../../tests/vectors", import.meta.url));
const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core"), "utf8");
let browser;

before(async () => {
  browser = await puppeteer.launch({ executablePath: CHROMIUM, headless: true, args: ["--no-sandbox", "--disable-gpu", "--no-first-run"] });
});
after(() => browser?.close());

/** The page, opened from the disk; whatever a script of it says or asks for is an error. */
async function open({ width = 1200, height = 900, dark = false } = {}) {
  const page = await browser.newPage();
  const wrong = [];
  page.on("pageerror", error => wrong.push(`${error}`));
  page.on("console", message => message.text().includes("favicon") || wrong.push(message.text()));
  page.on("dialog", dialog => { wrong.push("dialog"); dialog.dismiss(); });
  page.on("request", request => { if (request.url() !== address) wrong.push(request.url()); });
  await page.setBypassCSP(false);
  await page.setViewport({ width, height });
  await page.emulateMediaFeatures([{ name: "prefers-color-scheme", value: dark ? "dark" : "light" }]);
  await page.goto(address);
  await page.waitForSelector("body[data-ready]");
  return { page, wrong };
}

/** Puts texts into fields, as typing does, and waits until they are read. */
const write = (page, fields) => page.evaluate(async fields => {
  for (const [id, value] of Object.entries(fields)) {
    const field = document.getElementById(id);
    field.value = value;
    field.dispatchEvent(new Event(field.matches("select") ? "change" : "input"));
  }
  await new Promise(done => setTimeout(done, 250));
}, fields);

const slide = (page, step) => page.$eval("#time", (time, step) => {
  time.value = step;
  time.dispatchEvent(new Event("input"));
}, step);

const of = (page, selector) => page.$$eval(selector, all => all.map(one => one.textContent).join(""));
const message = page => page.$eval("#message", message => JSON.parse(message.textContent));

const TOOLS = [{ name: "read_file", parameters: { properties: { path: { type: "string" } } } }];
const CALL = "Ü 🦀 a < b\n<tool_call>\n{\"name\": \"read_file\", \"arguments\": {\"path\": \"src/lib.rs\"}}\n</tool_call>";

test("the cut is dragged through a text: what came, what is held, the message so far", async () => {
  const { page, wrong } = await open();
  await write(page, { dialect: "hermes", tools: JSON.stringify(TOOLS), input: CALL });
  assert.equal(await of(page, ".row span"), CALL.replaceAll("\n", "⏎"));
  const whole = new Parser("hermes", { tools: TOOLS });
  whole.feed(CALL);
  whole.finish();
  assert.deepEqual(await message(page), JSON.parse(JSON.stringify(whole.message)));

  const bytes = text => Buffer.byteLength(text);
  await slide(page, bytes(CALL.slice(0, CALL.indexOf("_call>"))));
  assert.equal(await of(page, ".row .held"), "<tool");
  await slide(page, bytes(CALL.slice(0, CALL.indexOf("lib.rs") + 3)));
  assert.deepEqual((await message(page)).content.at(-1),
    { type: "tool_use", name: "read_file", id: null, input: { path: "src/lib" }, status: "open" });

  await page.click("#tab-events");
  await slide(page, 0);
  assert.equal((await page.$$("#events li")).length, 0);
  await page.focus("#panel-events");
  await page.keyboard.press("End");
  const events = await page.$$eval("#events b", names => names.map(name => name.textContent));
  assert.deepEqual(events, ["text_content", "markup", "tool_start", "markup", "arguments_delta", "markup", "tool_end", "markup"]);
  await page.click("#tab-cuts");
  const results = await page.$$eval("#cuts tr", rows => rows.map(row => row.lastChild.textContent));
  assert.deepEqual(results, ["the same ✓", "the same ✓", "the same ✓", "the same ✓"]);

  // The stream was cut: the call may not run.
  await write(page, { input: CALL.slice(0, -20), ended: "cut" });
  await page.click("#tab-notes");
  assert.match(await of(page, "#notes"), /✗ read_file: may not run/);
  assert.deepEqual(wrong, []);
  await page.close();
});

test("a shape shows its markers while it is written, and what cannot be read is said", async () => {
  const { page, wrong } = await open();
  const shape = { name: "mine", call: "<<{name}>>{arguments}<</done>>" };
  await write(page, { dialect: "own", shape: JSON.stringify(shape), input: "a <<read_file>>{\"path\": \"b\"}<</done>> c" });
  assert.deepEqual((await message(page)).content.map(({ type }) => type), ["text", "tool_use", "text"]);
  await page.click("#tab-markers");
  const shown = () => page.$$eval("#markers li", items => items.map(item => item.textContent));
  const expected = markers(shape);
  assert.deepEqual(await shown(), expected);

  await write(page, { shape: "{\"name\": \"mine\", \"call\": \"<<{name}>>\"}" });
  assert.match(await of(page, "#wrong"), /^Shape: call: .*arguments/);
  assert.deepEqual(await shown(), expected, "what is shown stays");
  await write(page, { shape: "{" });
  assert.match(await of(page, "#wrong"), /^Shape: /);
  await write(page, { shape: JSON.stringify(shape), tools: "[1]" });
  assert.notEqual(await of(page, "#wrong"), "");
  await write(page, { tools: "[]" });
  assert.equal(await of(page, "#wrong"), "");
  assert.deepEqual(wrong, []);
  await page.close();
});

test("a hostile text, and a hostile shape, are text", async () => {
  const { page, wrong } = await open();
  const hostile = "</script><script>document.title='run'</script><img src=x onerror=\"document.title='run'\">\u2028\u202e\u001b[31m<!--"
    + "<tool_call>{\"name\": \"<b>\", \"arguments\": {\"</script>\": \"<svg onload=alert(1)>\", \"__proto__\": {\"a\": 1}}}</tool_call>";
  const shape = { name: "<img src=x onerror=alert(1)>", call: "<script>alert(1)</script>{name}{arguments}<svg onload=alert(1)>" };
  for (const fields of [{ dialect: "hermes" }, { dialect: "own", shape: JSON.stringify(shape) }, { tools: hostile }]) {
    await write(page, { input: hostile, ...fields });
    for (const tab of ["markers", "events", "notes", "cuts", "message"]) await page.click(`#tab-${tab}`);
    for (let step = 0; step <= hostile.length; step += 7) await slide(page, step);
    assert.equal(await page.$$eval("img, svg, #text b, #markers script", all => all.length), 0);
    assert.equal(await page.$$eval("script", all => all.length), 2);
  }
  const drawn = await of(page, ".row span");
  for (const shown of ["</script><script>", "[U+202E]", "[U+2028]", "␛[31m"]) assert.ok(drawn.includes(shown), shown);
  assert.match(await of(page, "#wrong"), /^Tools as JSON: /);
  assert.equal(await page.title(), "toolstream playground");
  assert.deepEqual(wrong, []);
  await page.close();
});

test("every dialect: its markers are shown, its example calls a tool, its first vector is the same for every cut", async () => {
  const firsts = readdirSync(vectors).filter(file => file.endsWith(".jsonl"))
    .map(file => JSON.parse(readFileSync(join(vectors, file), "utf8").split("\n")[0]));
  const { page, wrong } = await open();
  await page.click("#tab-markers");
  for (const dialect of dialects()) {
    await write(page, { dialect });
    assert.equal(await of(page, "#wrong"), "", dialect);
    const calls = await page.evaluate(() => stream.message.content.filter(({ status }) => status === "complete").length);
    assert.equal(calls, 1, `${dialect}: ${await page.$eval("#input", input => input.value)}`);
    assert.equal(await page.$$eval("#markers li", items => items.length), markers(dialect).length, dialect);
  }
  let read = 0;
  for (const { dialect, tools = [], input } of firsts) {
    if (!dialects().includes(dialect) || typeof input !== "string") continue;
    await write(page, { dialect, tools: JSON.stringify(tools), input });
    assert.equal(await of(page, "#wrong"), "", dialect);
    const differs = await page.evaluate(() => stream.runs.map(({ differs }) => differs).filter(Boolean));
    assert.deepEqual(differs, [], dialect);
    read++;
  }
  assert.ok(read > 40, `${read} vectors`);
  assert.deepEqual(wrong, []);
  await page.close();
});

test("each family has an example, which calls a tool and is the same for every cut", async () => {
  const { page, wrong } = await open();
  const design = readFileSync(new URL("../../../../DESIGN.md", import.meta.url), "utf8");
  const [, table] = design.split("## Families").at(1).split("|---|---|---|\n");
  const families = table.split("\n\n")[0].split("\n").flatMap(row => row.split("|")[1].match(/[\w./]+/g));
  assert.ok(families.length > 12);
  assert.deepEqual(EXAMPLES.map(({ family }) => family), families);
  for (const at of EXAMPLES.keys()) {
    await page.select("#example", `${at}`);
    assert.equal(await of(page, "#wrong"), "");
    const { calls, differs } = await page.evaluate(() => ({
      calls: stream.message.content.filter(({ status }) => status === "complete").length,
      differs: stream.runs.map(({ differs }) => differs).filter(Boolean),
    }));
    assert.deepEqual([calls, differs], [1, []], `${EXAMPLES[at].family}: ${await page.$eval("#input", input => input.value)}`);
  }
  assert.deepEqual(wrong, []);
  await page.close();
});

test("a mebibyte is read, and stays fluid", async () => {
  const { page, wrong } = await open();
  const input = `Words that are not so many. 漢字 and 🦀.\n${CALL}\n`.repeat(7500);
  const began = Date.now();
  await write(page, { dialect: "hermes", tools: JSON.stringify(TOOLS), input });
  const took = Date.now() - began;
  const steps = await page.evaluate(() => {
    const steps = [];
    for (let at = 0; at < 50; at++) {
      const begin = performance.now();
      go(Math.floor(stream.last(run) * at / 50));
      document.body.getBoundingClientRect();
      steps.push(performance.now() - begin);
    }
    return steps.sort((one, other) => one - other);
  });
  console.log(`1 MiB: read in ${took} ms, a step ${steps[25].toFixed(1)} ms in the middle, ${steps[49].toFixed(1)} ms at most`);
  assert.ok(await page.$$eval(".row", rows => rows.length) < 150);
  assert.deepEqual(wrong, []);
  await page.close();
});

test("axe-core finds nothing, light and dark, wide and at 360 pixels; keys reach all of it", async () => {
  if (SCREENSHOTS) mkdirSync(SCREENSHOTS, { recursive: true });
  for (const dark of [false, true]) {
    for (const [width, height] of [[1200, 900], [360, 740]]) {
      const { page, wrong } = await open({ width, height, dark });
      // (The policy of the page lets no script in; the tools of the browser may.)
      await page.evaluate(axe);
      await write(page, { dialect: "own" });
      await slide(page, 40);
      for (const tab of ["markers", "message", "events", "notes", "cuts"]) {
        await page.click(`#tab-${tab}`);
        const { violations } = await page.evaluate(() => axe.run());
        assert.deepEqual(violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html).slice(0, 3)]), [], `${tab} ${width} ${dark}`);
        if (SCREENSHOTS) await page.screenshot({ path: join(SCREENSHOTS, `${dark ? "dark" : "light"}-${width}-${tab}.png`), fullPage: true });
      }
      const wide = await page.evaluate(() => document.documentElement.scrollWidth);
      assert.ok(wide <= width, `${wide} pixels wide at ${width}`);
      await page.focus("#dialect");
      const reached = [];
      for (let press = 0; press < 14; press++) {
        await page.keyboard.press("Tab");
        reached.push(await page.evaluate(() => document.activeElement.id || document.activeElement.localName));
      }
      for (const id of ["ended", "input", "shape", "summary", "size", "time", "text"]) assert.ok(reached.includes(id), `${id}: ${reached}`);
      assert.deepEqual(wrong, []);
      await page.close();
    }
  }
});
