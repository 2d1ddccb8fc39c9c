// The playground: what stands in the form is read, and shown by the page of `toolstream inspect`, whose script
// (`page.js`) has `$`, `element`, `shown`, `count`, `recordings` and `openFile`.

import { Parser, dialects, markers } from "./toolstream/index.js";
import { record } from "./record.js";

const OWN = "own";
const TOOLS = [
  { name: "read_file", description: "Read a file", parameters: {
    type: "object", properties: { path: { type: "string" }, line: { type: "integer" } }, required: ["path"] } },
];
const SHAPE = { name: "mine", call: "<use>{name}\n{arguments}</use>" };
/** Typing goes on for so long before the text is read again, in milliseconds. */
const WAIT = 150;

/** The text that was put there for a dialect: what somebody wrote is not replaced. */
let example = null;

const chosen = () => $("dialect").value === OWN ? JSON.parse($("shape").value) : $("dialect").value;

const PROSE = "I look at a < b.\n";

/** A text that calls a tool as the dialect does; without prose before, if that is no call then. */
function exampleOf(dialect, tools) {
  const parser = new Parser(dialect, { tools, tool_limit: null });
  try {
    const { name, parameters } = tools[0];
    const keys = Object.entries(parameters?.properties ?? {}).map(([key, { type }]) => [key, type === "integer" ? 12 : "src/lib.rs"]);
    const call = parser.renderCall(name, Object.fromEntries(keys));
    parser.feed(PROSE + call);
    parser.finish();
    return parser.message.content.some(({ status }) => status === "complete") ? PROSE + call : call;
  } catch {
    return PROSE;
  } finally {
    parser.free();
  }
}

/** What a field holds that is JSON; a mistake names the field. */
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
    const make = () => new Parser(dialect, { tools, tool_limit: null });
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
$("dialect").value = "hermes";
$("tools").value = JSON.stringify(TOOLS, null, 1);
$("shape").value = JSON.stringify(SHAPE, null, 1);
let waits;
for (const id of ["input", "tools", "shape"]) {
  $(id).addEventListener("input", () => {
    clearTimeout(waits);
    waits = setTimeout(read, WAIT);
  });
}
for (const id of ["dialect", "ended"]) $(id).addEventListener("change", read);
read();
document.body.dataset.ready = "";
