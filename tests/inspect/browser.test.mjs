// The page of `toolstream inspect` in a headless Chromium. `./ci` runs it.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { after, before, test } from "node:test";
import puppeteer from "puppeteer-core";

const { TOOLSTREAM, VECTORS, CHROMIUM, SCREENSHOTS } = process.env;
const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core"), "utf8");
const folder = mkdtempSync(join(tmpdir(), "toolstream-inspect-"));
let browser;

before(async () => {
  const args = ["--no-sandbox", "--disable-gpu", "--no-first-run"];
  browser = await puppeteer.launch({ executablePath: CHROMIUM, headless: true, args });
});
after(async () => {
  await browser?.close();
  rmSync(folder, { recursive: true, force: true });
});

const command = (...args) => execFileSync(TOOLSTREAM, args, { maxBuffer: 1 << 28, encoding: "utf8" });

/** A transcript and how it is read, as files and flags. */
function transcript(name, { dialect, tools = [], config = {}, ended, input }) {
  const [text, declared, options] = ["txt", "tools.json", "config.json"].map(end => join(folder, `${name}.${end}`));
  writeFileSync(text, input);
  writeFileSync(declared, JSON.stringify(tools));
  writeFileSync(options, JSON.stringify(config));
  const flags = ["--dialect", dialect, "--tools", declared, "--config", options];
  return { text, flags: ended ? [...flags, "--ended", ended] : flags, name };
}

const parsed = ({ text, flags }) =>
  JSON.parse(command("parse", ...flags, "--tool-limit", "none", "--format", "message", text));

/** The page of a transcript, opened; whatever a script of it says or asks the network for is an error. */
async function open({ text, flags, name }, { width = 1200, height = 800, dark = false } = {}) {
  const html = join(folder, `${name}.html`);
  command("inspect", ...flags, text, "--html", html);
  const page = await browser.newPage();
  const wrong = [];
  page.on("pageerror", error => wrong.push(`${error}`));
  page.on("console", message => wrong.push(message.text()));
  page.on("dialog", dialog => { wrong.push("dialog"); dialog.dismiss(); });
  page.on("request", request => { if (!request.url().startsWith("file:")) wrong.push(request.url()); });
  await page.setViewport({ width, height });
  await page.emulateMediaFeatures([{ name: "prefers-color-scheme", value: dark ? "dark" : "light" }]);
  await page.goto(`file://${html}`);
  return { page, wrong };
}

/** Moves the slider as a hand does, to this step. */
const slide = (page, step) => page.$eval("#time", (time, step) => {
  time.value = step;
  time.dispatchEvent(new Event("input"));
}, step);

const message = page => page.$eval("#message", message => JSON.parse(message.textContent));

const text = page => page.$$eval(".row span", spans => spans.map(span => span.textContent).join(""));

const TOOLS = [{ name: "read_file", parameters: { properties: { path: { type: "string" }, line: { type: "integer" } } } }];
const CALL = "I look.\n<think>Where?</think>\n<read_file><path>src/lib.rs and </path> in it</path><line>12</line></read_file> done <read_f";

test("the slider shows what had come, what was held and the message so far", async () => {
  const given = transcript("slider", { dialect: "cline", tools: TOOLS, input: CALL });
  const { page, wrong } = await open(given);
  assert.deepEqual(await message(page), parsed(given));
  assert.equal(await text(page), CALL.replaceAll("\n", "⏎"));

  await page.select("#size", "1");
  const half = CALL.indexOf("lib.rs") + 3;
  await slide(page, half);
  assert.match(await page.$eval("#status", status => status.textContent), new RegExp(`^chunk ${half} of ${CALL.length} · ${half} bytes came · 0 held$`));
  assert.deepEqual((await message(page)).content.at(-1),
    { type: "tool_use", name: "read_file", id: null, input: { path: "src/lib" }, status: "open" });
  assert.equal(await page.$$eval(".row .coming", spans => spans.map(span => span.textContent).join("")), CALL.slice(half).replaceAll("\n", "⏎"));

  // A marker is held until it is whole.
  const held = CALL.indexOf("<read_file>") + 6;
  await slide(page, held);
  assert.equal(await page.$$eval(".row .held", spans => spans.map(span => span.textContent).join("")), "<read_");
  await page.keyboard.press("ArrowRight");
  await page.click("#on");
  assert.match(await page.$eval("#status", status => status.textContent), new RegExp(`^chunk ${held + 2} of`));
  assert.deepEqual(wrong, []);
  await page.close();
});

test("long arguments do not lag behind what has left", async () => {
  const value = "words and 漢字, then more; ".repeat(60);
  const [cline, hermes] = [`<read_file><path>${value}`, `<tool_call>{"name": "read_file", "arguments": {"path": "${value}`];
  for (const [dialect, input] of [["cline", cline], ["hermes", hermes]]) {
    const { page, wrong } = await open(transcript(`long-${dialect}`, { dialect, tools: TOOLS, input, ended: "cut" }));
    await page.select("#size", "1");
    const failure = await page.evaluate(value => {
      const begins = stream.text.indexOf(value);
      for (let at = begins + 1; at < stream.text.length; at++) {
        const { content: [{ input: { path = "" } }] } = stream.messageAt(run, stream.byte(at), Infinity).message;
        // White space at the end is looked at with what follows it.
        if (path.trimEnd() !== stream.text.slice(begins, at).trimEnd()) return `at ${at}: ${path.slice(-40)}`;
      }
      return null;
    }, value);
    assert.equal(failure, null, dialect);
    assert.deepEqual(wrong, []);
    await page.close();
  }
});

test("events come in order, notes lead to their place, every cut is the same", async () => {
  const given = transcript("tabs", { dialect: "cline", tools: TOOLS, input: CALL });
  const { page, wrong } = await open(given);
  await page.click("#tab-events");
  const events = await page.$$eval("#events b", names => names.map(name => name.textContent));
  const lines = command("parse", ...given.flags, "--tool-limit", "none", "--format", "events", given.text).trim().split("\n");
  const joined = lines.map(line => JSON.parse(line).type).filter((type, at, all) => type !== all[at - 1] || !/text|reason|markup|delta/.test(type));
  assert.deepEqual(events, joined);
  await slide(page, 0);
  assert.equal((await page.$$("#events li")).length, 0);

  await page.click("#tab-notes");
  const notes = await page.$$eval("#notes button", buttons => buttons.map(button => button.textContent));
  const refused = CALL.indexOf("</path>");
  assert.ok(notes.some(says => says.includes(`\`</path>\` at ${refused} is payload: closer of an argument`)), notes.join("\n"));
  await page.$$eval("#notes button", buttons => buttons.find(button => button.textContent.includes("</path>")).click());
  assert.equal(await page.$$eval(".picked", spans => spans.map(span => span.textContent).join("")), "</path> in it");
  assert.match(await page.$eval("#here", here => here.textContent), new RegExp(`is payload.*param_delta, bytes ${refused} to`));

  await page.click("#tab-cuts");
  const results = await page.$$eval("#cuts tr", rows => rows.map(row => [row.firstChild.textContent, row.lastChild.textContent]));
  assert.deepEqual(results, [["7 bytes", "the same ✓"], ["1 byte", "the same ✓"], ["64 bytes", "the same ✓"], ["the whole text", "the same ✓"]]);
  assert.deepEqual(wrong, []);
  await page.close();
});

test("a hostile text is text", async () => {
  const hostile = "</script><script>document.title='run'</script><img src=x onerror=\"document.title='run'\">\u2028\u2029\u202e\0\x1b[31m<!--"
    + "\"'`${document.title='run'}&lt;<tool_call>{\"name\": \"<b>\", \"arguments\": {\"</script>\": \"\\u0000<svg onload=alert(1)>\", \"__proto__\": {\"a\": 1}}}</tool_call>";
  const given = transcript("hostile", { dialect: "hermes", input: hostile });
  const { page, wrong } = await open(given);
  assert.equal(await page.title(), "toolstream inspect");
  assert.equal(await page.$$eval("script", scripts => scripts.length), 2);
  assert.equal(await page.$$eval("img, svg, #text b", all => all.length), 0);
  const drawn = await text(page);
  for (const shown of ["</script><script>", "[U+202E]", "[U+2028]", "␀", "␛[31m"]) assert.ok(drawn.includes(shown), shown);
  for (const tab of ["events", "notes", "cuts"]) await page.click(`#tab-${tab}`);
  for (let step = 0; step <= hostile.length / 7; step++) await slide(page, step);
  assert.equal(await page.title(), "toolstream inspect");
  assert.deepEqual(wrong, []);
  await page.close();
});

test("the first vector of every dialect: each step of each run is shown, the last as parse says", async () => {
  const files = readdirSync(VECTORS).filter(file => file.endsWith(".jsonl"));
  let pages = 0;
  for (const file of files) {
    const vector = JSON.parse(readFileSync(join(VECTORS, file), "utf8").split("\n")[0]);
    if (!vector.dialect || typeof vector.input !== "string" || vector.component) continue;
    const { ended, ...config } = vector.config ?? {};
    const given = transcript(file, { ...vector, config, ended: ended && String(ended) });
    const { page, wrong } = await open(given);
    const expected = parsed(given);
    // The models behind the page, at every step of every run: what is there is what the end will say.
    const failure = await page.evaluate(expected => {
      for (let number = 0; number < stream.runs.length; number++) {
        openRun(number);
        let [last, prose] = [-1, ""];
        for (let at = 0; at <= stream.last(run); at++) {
          const { message } = stream.messageAt(run, at, Infinity);
          const soFar = message.content.filter(({ type }) => type !== "tool_use").map(({ text }) => text).join("");
          if (!soFar.startsWith(prose)) return `run ${number}, step ${at}: ${prose} is taken back`;
          if (stream.left(run, at) < last) return `run ${number}, step ${at}: less has left than before`;
          [last, prose] = [stream.left(run, at), soFar];
          if (at < stream.last(run)) continue;
          if (JSON.stringify(message) !== JSON.stringify(expected)) return `run ${number}: ${JSON.stringify(message)}`;
          // And so says what is shown before the end, which is built of the events.
          const types = expected.content.map(({ type }) => ({ text: "text_content", tool_use: "call" })[type] ?? type);
          const built = stream.blocks.map(({ type }) => type);
          if (`${built}` !== `${types}`) return `run ${number}: ${built}, and not ${types}`;
          const all = expected.content.filter(({ type }) => type !== "tool_use").map(({ text }) => text).join("");
          const before = stream.blocks.map(block => stream.blockAt(block, run, at).text ?? "").join("");
          if (before !== all) return `run ${number}: ${before}, and not ${all}`;
        }
        if (stream.runs[number].differs) return `run ${number} differs`;
      }
      const drawn = [...document.querySelectorAll(".row span")].map(span => span.textContent).join("");
      return drawn || !expected.position ? null : "nothing is drawn";
    }, expected);
    assert.equal(failure, null, `${file}: ${failure}`);
    assert.deepEqual(wrong, [], file);
    await page.close();
    pages++;
  }
  assert.ok(pages > 40, `${pages} pages`);
});

test("a mebibyte stays fluid: no more is drawn than is seen", async () => {
  const input = (`Words that are not so many. 漢字 and 🦀.\n${CALL.slice(0, CALL.indexOf(" done"))}\n`).repeat(7500);
  assert.ok(Buffer.byteLength(input) > 1 << 20);
  const { page, wrong } = await open(transcript("large", { dialect: "cline", tools: TOOLS, input }));
  const drawn = () => page.$$eval(".row", rows => rows.length);
  assert.ok(await drawn() < 100, `${await drawn()} rows`);
  const took = await page.evaluate(() => {
    const took = [];
    for (let at = 0; at < 50; at++) {
      const begin = performance.now();
      go(Math.floor(stream.last(run) * at / 50));
      document.body.getBoundingClientRect();
      took.push(performance.now() - begin);
    }
    return took.sort((one, other) => one - other);
  });
  console.log(`a step in 1 MiB: ${took[25].toFixed(1)} ms in the middle, ${took[49].toFixed(1)} ms at most`);
  assert.ok(await drawn() < 100, `${await drawn()} rows`);
  assert.deepEqual(wrong, []);
  await page.close();
});

test("axe-core finds nothing, light and dark, wide and at 360 pixels", async () => {
  const session = resolve(VECTORS, "../../examples/transcripts/cline-session.txt");
  const tools = JSON.parse(readFileSync(resolve(VECTORS, "../../examples/transcripts/cline-tools.json"), "utf8"));
  const given = transcript("session", { dialect: "cline", tools, input: readFileSync(session) });
  if (SCREENSHOTS) mkdirSync(SCREENSHOTS, { recursive: true });
  for (const dark of [false, true]) {
    for (const [width, height] of [[1200, 760], [360, 740]]) {
      const { page, wrong } = await open(given, { width, height, dark });
      await page.evaluate(axe);
      await slide(page, 60);
      for (const tab of ["message", "events", "notes", "cuts"]) {
        await page.click(`#tab-${tab}`);
        const { violations } = await page.evaluate(() => axe.run());
        assert.deepEqual(violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html).slice(0, 3)]), [], `${tab} ${width} ${dark}`);
        if (SCREENSHOTS) await page.screenshot({ path: join(SCREENSHOTS, `${dark ? "dark" : "light"}-${width}-${tab}.png`) });
      }
      const wide = await page.evaluate(() => document.documentElement.scrollWidth);
      assert.ok(wide <= width, `${wide} pixels wide at ${width}`);
      assert.deepEqual(wrong, []);
      await page.close();
    }
  }
});
