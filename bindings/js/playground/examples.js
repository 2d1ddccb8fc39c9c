// An example for each kind of grammar: `family` as the table in DESIGN.md names it, a dialect or a shape, and the words around
// the call, which the dialect writes.

const THOUGHT = "<think>\nWhere is it?\n</think>\n";
const COMMAND = {
  name: "shell", description: "Run a command",
  parameters: { type: "object", properties: { command: { type: "string" } }, required: ["command"] },
};

export const EXAMPLES = [
  { family: "block/", says: "An object between tags, behind a tag that is quoted", dialect: "hermes",
    before: `${THOUGHT}A \`<tool_call>\` in prose is text. I look.\n`, after: "\n" },
  { family: "tags/", says: "Names in attributes", dialect: "invoke", before: "Is 1 < 2? I look.\n" },
  { family: "elements.rs", says: "Names as tags", dialect: "cline", before: `${THOUGHT}A <b> is no tool. I look.\n` },
  { family: "literals.rs", says: "Literals between tokens", dialect: "gemma4" },
  { family: "headers.rs", says: "A header of special tokens, then JSON", dialect: "deepseek-v3" },
  { family: "ids.rs", says: "An id that names the tool", dialect: "kimi-k2" },
  { family: "listed/", says: "Keys and values in a section of special tokens", dialect: "hunyuan" },
  { family: "kinds.rs", says: "Messages by kind", dialect: "inkling" },
  { family: "recipients.rs", says: "Messages with a recipient on a line", dialect: "functionary" },
  { family: "envelope/", says: "Messages with a channel and a recipient", dialect: "harmony" },
  { family: "python/", says: "Python calls", dialect: "pythonic" },
  { family: "token.rs", says: "Calls behind one token", dialect: "mistral" },
  { family: "tried/", says: "An object that may be a call or the answer", dialect: "bare-json" },
  { family: "react/", says: "Lines with keywords", dialect: "react" },
  { family: "carets.rs", says: "Lines between carets", dialect: "code-assistant-caret" },
  { family: "commands.rs", says: "A shape of your own: one value and no keys", tool: COMMAND,
    dialect: { name: "prompt", call: "$ {value}\n", tool: "shell", key: "command" } },
  { family: "written/", says: "A shape of your own: a name and an object", dialect: { name: "mine", call: "<use>{name}\n{arguments}</use>" } },
];
