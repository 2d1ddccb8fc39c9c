//! Messages of the `<tool_call>` family that are nearly right: written by the grammar, with a piece lost, doubled or replaced
//! here and there. The soup reaches the depths of a body only by luck, and these messages reach them in most cases.

use toolstream::Dialect;

use super::soup::{self, Case, Choices};

/// Makes a case from a byte string.
pub fn case(data: &[u8]) -> Case {
    let mut choices = Choices::new(data);
    let dialect = choices.of(&[
        Dialect::HERMES,
        Dialect::QWEN3_CODER,
        Dialect::GLM,
        Dialect::TOOL_CALL,
        Dialect::TOOL_CALL,
    ]);
    let options = soup::options(&mut choices);
    let ended = soup::ended(&mut choices);
    let cut_bytes = soup::cut_bytes(&mut choices);
    let lost = soup::lost(&mut choices);
    let tools = if choices.one_in(8) { Vec::new() } else { soup::tools() };
    let mut writer = Writer { choices, text: String::new() };
    while writer.choices.are_left() {
        writer.part(&dialect);
    }
    let mut text = writer.text;
    for _ in 0..lost {
        text.pop();
    }
    let cuts = soup::cuts(&cut_bytes, text.len());
    Case { dialect, tools, options, ended, text, cuts }
}

const WHITE: &[&str] = &["", "", "", "\n", " ", "\r\n", "\n\n  "];
const NAMES: &[&str] = &["read", "write", "ré.d", "other", "rea", "readx", "path", "", " read\\n"];
const PARAMS: &[&str] = &["path", "content", "read", "x", "p q", " path", ""];

/// Pieces that may stand anywhere by mistake.
const STRAY: &[&str] = &[
    "<tool_call>",
    "</tool_call>",
    "<tool_response>",
    "<|im_end|>",
    "<|role_end|>",
    "<think>",
    "</think>",
    "<function=read>",
    "</function>",
    "<parameter=path>",
    "<parameter name=\"x\">",
    "<function=read/>",
    "</parameter>",
    "<arg_key>",
    "</arg_key>",
    "<arg_value>",
    "</arg_value>",
    "<read>",
    "{",
    "}",
    "[",
    "]",
    ",",
    "\"",
    "\\",
    "```",
    "/*",
    "//",
    "word",
    "<",
    "</",
];

/// Values of tags.
const VALUES: &[&str] = &[
    "",
    "a",
    "\n",
    "a < b\n",
    "é🦀",
    "\r\nline\r\n",
    "</parameter>",
    "</function>",
    "</arg_value>",
    "</tool_call>",
    "\n<parameter=path>",
    "\n<parameter=x>",
    "<parameter=content>",
    "<arg_key>",
    "<arg_key>content</arg_key>",
    "</tool_call><|im_end|>",
    "</function>\n</tool_call> so",
    "</function>\n<function=read>",
    "<tool_call>{\"name\": \"read\"}",
    "</param",
];

/// Contents of a JSON string, in any quotes.
const STRINGS: &[&str] = &[
    "",
    "a",
    "é",
    "\\n",
    "\\\\",
    "\\\"",
    "\\'",
    "\\`",
    "\\/",
    "\\u00e9",
    "\\ud83e\\udd80",
    "\\ud83e",
    "\\udd80",
    "\\u12",
    "\\u",
    "\\q",
    "\n",
    "\t",
    "</tool_call>",
    "<tool_call>",
    "{",
    "}]",
    "//",
    "/*",
    "'",
    "\"",
    "name",
];

struct Writer<'a> {
    choices: Choices<'a>,
    text: String,
}

impl Writer<'_> {
    /// Writes a piece of grammar, and sometimes loses, doubles or replaces it.
    fn put(&mut self, text: &str) {
        match self.choices.below(48) {
            1 => {}
            2 => {
                self.text.push_str(text);
                self.text.push_str(text);
            }
            3 => self.text.push_str(self.choices.of(STRAY)),
            4 => {
                let half = text.chars().take(text.chars().count() / 2);
                self.text.extend(half);
            }
            5 => {
                self.text.push_str(text);
                soup::long(&mut self.choices, &mut self.text);
            }
            _ => self.text.push_str(text),
        }
    }

    fn any(&mut self, of: &[&str]) {
        let piece = self.choices.of(of);
        self.put(piece);
    }

    fn ws(&mut self) {
        self.any(WHITE);
    }

    /// Writes a part of a message.
    fn part(&mut self, dialect: &Dialect) {
        match self.choices.below(16) {
            0..=9 => self.block(dialect),
            10 => self.function(),
            11 => self.put("\n<think>\n"),
            12 => self.put("</think>"),
            13 => self.put("<tool_response>"),
            14 => self.any(STRAY),
            _ => self.any(&["prose ", "a < b", "\n", "`<tool_call>`", "<tool_call>"]),
        }
    }

    fn block(&mut self, dialect: &Dialect) {
        self.put("<tool_call>");
        self.ws();
        let own = match dialect.name() {
            "hermes" => 0,
            "qwen3-coder" => 1,
            "glm" => 2,
            _ => self.choices.below(3),
        };
        // The body of another dialect is prose.
        let body = if self.choices.one_in(16) { self.choices.below(3) } else { own };
        match body {
            0 => self.json(),
            1 => self.functions(),
            _ => self.keyed(),
        }
        self.ws();
        self.put("</tool_call>");
    }

    // json

    fn json(&mut self) {
        let fenced = self.choices.one_in(6);
        if fenced {
            self.any(&["```json\n", "```\n", "``` "]);
        }
        let listed = self.choices.one_in(4);
        if listed {
            self.put("[");
        }
        self.object(1);
        for _ in 0..self.choices.of(&[0, 0, 1, 2]) {
            self.any(&[",", "\n", "", "; ", ", "]);
            self.object(1);
        }
        if listed {
            self.put("]");
        }
        if fenced {
            self.put("\n```");
        }
    }

    fn object(&mut self, level: usize) {
        self.put("{");
        for number in 0..self.choices.of(&[2, 2, 1, 3, 0]) {
            if number > 0 {
                // The object may close too early, and a comma may be missing or have company.
                self.any(&[
                    ",", ", ", ",\n", ",,", ", ", ",", "}, ", "} ,\n", " ", "\"x\", ", " 12,",
                ]);
            }
            self.member(level);
        }
        self.any(&["", "", "", ",", "/* } */", "// }\n", "", "", " 12", "\" > b\"", " /", ":"]);
        self.put("}");
    }

    fn member(&mut self, level: usize) {
        let (keys, kind): (&[&str], usize) = match self.choices.below(8) {
            0..=2 => (&["name", "name", "tool_name", "n\\u0061me", "function"], 0),
            3..=5 => (&["arguments", "parameters", "args", "input", "\\u0061rgs"], 1),
            6 => (&["function", "funct\\u0069on"], 2),
            _ => (&["id", "type", "names", "", "argumentsx"], 3),
        };
        let key = self.choices.of(keys);
        match self.choices.one_in(8) {
            true => self.put(key),
            false => self.string(key),
        }
        self.any(&[":", ": ", " :\n", "/**/:", ":", ": ", ""]);
        match kind {
            0 => {
                let name = self.choices.of(NAMES);
                self.string(name);
            }
            2 if level < 3 => self.object(level + 1),
            _ => self.value(level),
        }
    }

    fn value(&mut self, level: usize) {
        match self.choices.below(8) {
            0..=3 if level < 4 => self.object(level + 1),
            4 if level < 4 => {
                self.put("[");
                self.value(level + 1);
                self.any(&["", ",", ", 1", " 2"]);
                self.put("]");
            }
            5 => self.any(&["null", "12", "-1.5e3", "True", "no</tool_call>", "a/b", "x'y"]),
            _ => self.string("v"),
        }
    }

    /// Writes a string of this text, perhaps with more behind it.
    fn string(&mut self, text: &str) {
        let quote =
            self.choices.of(&["\"", "\"", "\"", "\"", "\"", "\"", "'", "`", "\"\"\"", "\"\"\""]);
        self.put(quote);
        self.text.push_str(text);
        if self.choices.one_in(4) {
            self.any(STRINGS);
            self.any(STRINGS);
        }
        self.put(quote);
    }

    // functions

    fn functions(&mut self) {
        self.function();
        for _ in 0..self.choices.of(&[0, 0, 0, 1, 2]) {
            self.ws();
            self.function();
        }
    }

    fn function(&mut self) {
        let name = self.choices.of(NAMES);
        let quote = self.choices.of(&["", "", "", "\"", "'"]);
        match self.choices.below(8) {
            0 => self.put(&format!("<{name}>")),
            1 => self.put(&format!("<function= {quote}{name}{quote} ")),
            2 => self.put(&format!("<function= {quote}{name}{quote}\n>")),
            3 => self.put(&format!("<function={quote}{name}{quote}/>")),
            _ => self.put(&format!("<function={quote}{name}{quote}>")),
        }
        self.ws();
        if self.choices.one_in(6) {
            self.object(1);
            self.ws();
        }
        for _ in 0..self.choices.of(&[1, 1, 2, 3, 0]) {
            let key = self.choices.of(PARAMS);
            let after = self.choices.of(&[">", ">", ">", ">", "=", "\n", "\r\n", " >"]);
            let head = self.choices.of(&["=", "=", "=", "=", "=", " name="]);
            self.put(&format!("<parameter{head}{quote}{key}{quote}{after}"));
            self.tag_value();
            self.put("</parameter>");
            self.ws();
        }
        self.put("</function>");
    }

    fn tag_value(&mut self) {
        self.ws();
        for _ in 0..self.choices.of(&[1, 0, 1, 2]) {
            let piece = self.choices.of(VALUES);
            self.text.push_str(piece);
        }
        self.ws();
    }

    // keyed

    fn keyed(&mut self) {
        self.any(NAMES);
        self.ws();
        if self.choices.one_in(6) {
            return self.object(1);
        }
        for _ in 0..self.choices.of(&[1, 1, 2, 3, 0]) {
            let key = self.choices.of(PARAMS);
            // The opener of the key and that of its value may be missing, or doubled.
            for _ in 0..self.choices.of(&[1, 1, 1, 1, 1, 1, 0, 2]) {
                self.put("<arg_key>");
            }
            self.put(key);
            if !self.choices.one_in(8) {
                self.put("</arg_key>");
            }
            self.ws();
            if !self.choices.one_in(8) {
                self.put("<arg_value>");
            }
            self.tag_value();
            self.put("</arg_value>");
            self.ws();
        }
    }
}
