// The playground: what stands in the form is read, and shown by the page of `toolstream inspect`, whose script
// has `$`, `element`, `shown`, `count`, `recordings` and `openFile`.

import { Parser, dialects, markers } from "toolstream";
import { EXAMPLES } from "./examples.js";
import { record } from "./record.js";

const OWN = "own";
const TOOLS = [
  { name: "read_file", description: "Read a file", parameters: {
    type: "object", properties: { path: { type: "string" }, line: { type: "integer" } }, required: ["path"] } },
];
/** Typing goes on for so long before the text is read again, in milliseconds. */
const WAIT = 150;

/** The text that was put there for a dialect: what somebody wrote is not replaced. */
let example = null;

const chosen = () => $("dialect").value === OWN ? JSON.parse($("shape").value) : $("dialect").value;

const PROSE = "I look at a < b.\n";

/** A text that calls a tool as the dialect does; without the words around the call, if that is no call then. */
function exampleOf(dialect, tools, { before = PROSE, after = "" } = {}) {
  const parser = new Parser(dialect, { tools });
  try {
    const { name, parameters } = tools[0];
    const keys = Object.entries(parameters?.properties ?? {}).map(([key, { type }]) => [key, type === "integer" ? 12 : "src/lib.rs"]);
    const call = parser.renderCall(name, Object.fromEntries(keys));
    const calls = ({ content }) => content.filter(({ status }) => status === "complete").length;
    const text = before + call + after;
    return calls(parser.parse(text)) === 1 ? text : call;
  } catch {
    return PROSE;
  } finally {
    parser.free();
  }
}

/** Puts the example of a family into the form. */
function choose({ dialect, tool = TOOLS[0], ...words }) {
  const own = typeof dialect !== "string";
  $("dialect").value = own ? OWN : dialect;
  if (own) $("shape").value = JSON.stringify(dialect, null, 1);
  $("tools").value = JSON.stringify([tool], null, 1);
  $("ended").value = "stop";
  $("input").value = example = exampleOf(dialect, [tool], words);
  read();
}

/** The JSON that a field holds; a mistake names the field. */
function json(id, read) {
  const field = $(id);
  try {
    const value = read();
    field.removeAttribute("aria-invalid");
    return value;
  } catch (error) {
    field.setAttribute("aria-invalid", "true");
    throw new Error(`${field.labels[0].firstChild.textContent.trim()}: ${error.message}`);
  }
}

/** Reads what stands in the form. What cannot be read is said, and what is shown stays. */
function read() {
  $("own").hidden = $("dialect").value !== OWN;
  try {
    const tools = json("tools", () => JSON.parse($("tools").value || "[]"));
    const dialect = json("shape", chosen);
    const listed = json("shape", () => markers(dialect));
    if ($("input").value === (example ?? "")) $("input").value = example = exampleOf(dialect, tools);
    const make = () => new Parser(dialect, { tools });
    make().free();
    recordings[0] = record(make, $("input").value, $("ended").value, typeof dialect === "string" ? dialect : `${dialect.name}`);
    openFile(0);
    listMarkers(listed);
    $("wrong").textContent = "";
  } catch (error) {
    $("wrong").textContent = shown(error.message);
  }
}

/** The texts of the markers. */
function listMarkers(markers) {
  $("count-markers").textContent = count(markers.length, "marker");
  $("markers").replaceChildren(...markers.map(marker => element("li", shown(marker))));
}

$("dialect").replaceChildren(
  ...dialects().map(name => element("option", name, { value: name })), element("option", "a shape of your own", { value: OWN }));
$("example").replaceChildren(...EXAMPLES.map(({ says, family }, at) => element("option", `${says} (${family})`, { value: at })));
$("example").addEventListener("change", () => choose(EXAMPLES[$("example").value]));
$("shape").value = JSON.stringify(EXAMPLES.at(-1).dialect, null, 1);
let waits;
for (const id of ["input", "tools", "shape"]) {
  $(id).addEventListener("input", () => {
    clearTimeout(waits);
    waits = setTimeout(read, WAIT);
  });
}
for (const id of ["dialect", "ended"]) $(id).addEventListener("change", read);
choose(EXAMPLES[0]);
document.body.dataset.ready = "";
