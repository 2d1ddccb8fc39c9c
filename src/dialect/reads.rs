//! The dialects that are read by readers of markers ([`crate::family`]), as data. All others are read by rules.

use std::sync::LazyLock;

use crate::dialect::spec::Literals;
use crate::dialect::{Dialect, Source};
use crate::event::TypeHint;
use crate::family::block::{Block, Keys, Tags};
use crate::family::carets::{self, Carets};
use crate::family::elements::{self, Elements};
use crate::family::envelope::{self, Envelope};
use crate::family::headers::{self, Headers, Part};
use crate::family::ids::{self, Ids};
use crate::family::kinds::{self, Kinds};
use crate::family::listed::{self, Listed};
use crate::family::literals::{self, Literal};
use crate::family::python::{self, Form, Python};
use crate::family::react::{self, React};
use crate::family::recipients::Recipients;
use crate::family::tags::brackets::{self, Brackets};
use crate::family::tags::messages::Messages;
use crate::family::tags::nested::Nested;
use crate::family::tags::{Tagged, Texts};
use crate::family::token::{self, Token};
use crate::family::tried::{self, Tried};
use crate::read::machine::Grammar;
use crate::read::prose::Prose;

/// The stop tokens of ChatML and its kin.
const BOUNDARY: [&str; 6] =
    ["<|im_end|>", "<|endoftext|>", "<|observation|>", "<|user|>", "<|assistant|>", "<|system|>"];
const THINK: [&str; 2] = ["<think>", "<thinking>"];
const END_THINK: [&str; 2] = ["</think>", "</thinking>"];
const TOOL_RESPONSE: &str = "<tool_response>";

/// What each of them is made of, once a process.
static ALL: [(&str, LazyLock<Grammar>); 49] = [
    ("muse", LazyLock::new(muse)),
    ("hunyuan", LazyLock::new(hunyuan)),
    ("k2-horizon", LazyLock::new(k2_horizon)),
    ("inkling", LazyLock::new(inkling)),
    ("kimi-k3", LazyLock::new(kimi_k3)),
    ("minimax-m3", LazyLock::new(minimax_m3)),
    ("gemma4", LazyLock::new(gemma4)),
    ("functiongemma", LazyLock::new(functiongemma)),
    ("code-assistant", LazyLock::new(code_assistant)),
    ("code-assistant-caret", LazyLock::new(carets)),
    ("cline", LazyLock::new(cline)),
    ("hermes", LazyLock::new(hermes)),
    ("qwen3-coder", LazyLock::new(qwen3_coder)),
    ("glm", LazyLock::new(glm)),
    ("tool-call", LazyLock::new(tool_call)),
    ("seed-oss", LazyLock::new(seed_oss)),
    ("longcat", LazyLock::new(longcat)),
    ("iquest-q1", LazyLock::new(iquest_q1)),
    ("solar-open2", LazyLock::new(solar_open2)),
    ("granite", LazyLock::new(granite)),
    ("phi4", LazyLock::new(phi4)),
    ("apriel", LazyLock::new(apriel)),
    ("command-r", LazyLock::new(command_r)),
    ("gigachat3", LazyLock::new(gigachat3)),
    ("invoke", LazyLock::new(invoke)),
    ("minimax-m2", LazyLock::new(minimax_m2)),
    ("minicpm5", LazyLock::new(minicpm5)),
    ("step3", LazyLock::new(step3)),
    ("dots", LazyLock::new(dots)),
    ("deepseek-dsml", LazyLock::new(|| dsml("DSML", &DEEPSEEK_TURNS))),
    ("gigachat35", LazyLock::new(|| dsml("GCML", &["<|message_sep|>", "</s>"]))),
    ("cohere-cofl", LazyLock::new(cohere_cofl)),
    ("deepseek-v3", LazyLock::new(deepseek_v3)),
    ("deepseek-v31", LazyLock::new(deepseek_v3)),
    ("solar-open", LazyLock::new(solar_open)),
    ("plamo3", LazyLock::new(plamo3)),
    ("kimi-k2", LazyLock::new(kimi_k2)),
    ("json-array", LazyLock::new(json_array)),
    ("pythonic", LazyLock::new(pythonic)),
    ("lfm2", LazyLock::new(lfm2)),
    ("olmo3", LazyLock::new(olmo3)),
    ("functionary", LazyLock::new(functionary)),
    ("bare-json", LazyLock::new(|| tried(false))),
    ("wrapped-json", LazyLock::new(|| tried(true))),
    ("llama3-json", LazyLock::new(llama3_json)),
    ("mistral", LazyLock::new(mistral)),
    ("react", LazyLock::new(react)),
    ("harmony", LazyLock::new(harmony)),
    ("beam", LazyLock::new(beam)),
];

/// Read by rules until their readers are as fast: they give the same events, and a header of `harmony` takes six times the
/// instructions, prose in `react` six times, in `code-assistant-caret` nineteen.
const WAITING: [&str; 4] = ["react", "harmony", "beam", "code-assistant-caret"];

impl Dialect {
    /// Its grammar, if it is read by readers.
    pub(crate) fn grammar(&self) -> Option<&'static Grammar> {
        let alone = self.second.is_none() && !self.more;
        let built_in = matches!(self.first, Source::BuiltIn(_)) && alone;
        let waits = WAITING.contains(&self.name()) && !self.waits_no_more;
        if built_in && !waits { named(self.name()) } else { None }
    }
}

/// The grammar of the built-in dialect of this name.
fn named(name: &str) -> Option<&'static Grammar> {
    let found = ALL.iter().find(|(known, _)| *known == name);
    found.map(|(_, grammar)| &**grammar)
}

/// Markers that stand in text beside calls: reasoning, stop tokens, results, markup.
#[derive(Clone, Default)]
struct Around {
    /// Round reasoning; empty texts: there is none. `None`: `<think>`, at the start of a line.
    reasoning: Option<[&'static str; 2]>,
    tokens: Vec<&'static str>,
    invented: Vec<&'static str>,
    /// Markup in text; the last ones also close reasoning.
    marks: Vec<&'static str>,
    finals: Vec<&'static str>,
}

impl Around {
    fn prose(&self) -> Prose {
        let (open, close) = match &self.reasoning {
            None => (texts(&THINK), texts(&END_THINK)),
            Some(["", _]) => (Vec::new(), Vec::new()),
            Some([open, close]) => (texts(&[open]), texts(&[close])),
        };
        Prose {
            open,
            close,
            anywhere: self.reasoning.is_some(),
            tokens: texts(&self.tokens),
            invented: texts(&self.invented),
            marks: texts(&self.marks),
            finals: texts(&self.finals),
            sealed: None,
        }
    }
}

/// A dialect of blocks.
fn blocks(tags: Tags, around: Around) -> Grammar {
    let block = Block::new(Tags { stops: texts(&around.tokens), ..tags });
    Grammar::new(around.prose(), Box::new(block))
}

/// A dialect of tags with attributes.
fn tagged(t: Texts, around: Around) -> Grammar {
    let entities = t.entities;
    let tagged = Tagged::new(Texts { stops: texts(&around.tokens), ..t });
    let mut grammar = Grammar::new(around.prose(), Box::new(tagged));
    grammar.entities = entities;
    grammar
}

fn texts(texts: &[&str]) -> Vec<Box<str>> {
    texts.iter().map(|text| (*text).into()).collect()
}

/// The tags of blocks of this name.
fn tags(name: &str) -> Tags {
    let [open, close] = [format!("<{name}>"), format!("</{name}>")];
    Tags { open: texts(&[&open]), close: texts(&[&close]), ..Tags::default() }
}

/// Those of the family of `<tool_call>`, which models mix with each other's.
fn tool_call_tags() -> Tags {
    Tags { invented_turn: Some(TOOL_RESPONSE.into()), runs: true, ..tags("tool_call") }
}

fn keys(key: &str, value: &str) -> Option<Keys> {
    let tags = |name: &str| [format!("<{name}>").into(), format!("</{name}>").into()];
    Some(Keys { key: tags(key), value: tags(value) })
}

/// Text of models with ChatML's tokens.
fn chat_ml() -> Around {
    Around { tokens: BOUNDARY.to_vec(), invented: vec![TOOL_RESPONSE], ..Around::default() }
}

/// A dialect of literals.
fn literal(t: literals::Texts, around: Around) -> Grammar {
    let literal = Literal::new(literals::Texts { stops: texts(&around.tokens), ..t });
    Grammar::new(around.prose(), Box::new(literal))
}

fn gemma4() -> Grammar {
    let t = literals::Texts {
        open: "<|tool_call>".into(),
        close: "<tool_call|>".into(),
        prefix: "call:".into(),
        literals: Literals { quote: "<|\"|>".into(), ..Literals::default() },
        doubled: Some(["<|channel>".into(), "<|channel>thought".into()]),
        ..literals::Texts::default()
    };
    let around = Around {
        reasoning: Some(["<|channel>thought", "<channel|>"]),
        tokens: vec!["<|tool_response>", "<turn|>", "<|turn>", "<end_of_turn>", "<eos>"],
        invented: vec!["<|tool_response>response:"],
        ..Around::default()
    };
    literal(t, around)
}

fn functiongemma() -> Grammar {
    let t = literals::Texts {
        open: "<start_function_call>".into(),
        close: "<end_function_call>".into(),
        prefix: "call:".into(),
        literals: Literals { quote: "<escape>".into(), by_schema: true, ..Literals::default() },
        ..literals::Texts::default()
    };
    let response = "<start_function_response>";
    let around = Around {
        reasoning: Some(["", ""]),
        tokens: vec![response, "<end_of_turn>", "<start_of_turn>", "<turn|>", "<eos>"],
        invented: vec!["<start_function_response>response:"],
        ..Around::default()
    };
    literal(t, around)
}

fn cline() -> Grammar {
    let elements = Elements::new(elements::Texts {
        call: ["<".into(), "</".into()],
        param: ["<".into(), "</".into()],
        bare: true,
        wrapper: Some(["<function_calls>".into(), "</function_calls>".into()]),
        lines: false,
    });
    let mut grammar = Grammar::new(Around::default().prose(), Box::new(elements));
    grammar.raw = Some((elements::RAW, texts(&["content", "diff", "arguments"])));
    grammar
}

fn code_assistant() -> Grammar {
    let elements = Elements::new(elements::Texts {
        call: ["<tool:".into(), "</tool:".into()],
        param: ["<param:".into(), "</param:".into()],
        bare: false,
        wrapper: None,
        lines: true,
    });
    let mut grammar = Grammar::new(Around::default().prose(), Box::new(elements));
    grammar.singulars = true;
    grammar
}

fn carets() -> Grammar {
    let mut grammar = Grammar::new(Around::default().prose(), Box::new(Carets::new()));
    grammar.lines = true;
    grammar.hints = vec![(carets::LIST_OPENS.into(), TypeHint::Lines)];
    grammar
}

fn hermes() -> Grammar {
    blocks(Tags { json: true, ..tool_call_tags() }, chat_ml())
}

fn qwen3_coder() -> Grammar {
    blocks(Tags { functions: true, lines: true, ..tool_call_tags() }, chat_ml())
}

fn glm() -> Grammar {
    let others = ["<|role_end|>", "<｜end▁of▁sentence｜>", "</assistant>"];
    let tags = Tags { keyed: keys("arg_key", "arg_value"), ..tags("tool_call") };
    blocks(tags, Around { tokens: [&BOUNDARY[..], &others].concat(), ..chat_ml() })
}

fn tool_call() -> Grammar {
    let keyed = keys("arg_key", "arg_value");
    let tags = Tags { json: true, functions: true, lines: true, keyed, ..tool_call_tags() };
    blocks(tags, Around { tokens: [&BOUNDARY[..], &["<|role_end|>"]].concat(), ..chat_ml() })
}

fn seed_oss() -> Grammar {
    let around = Around {
        reasoning: Some(["<seed:think>", "</seed:think>"]),
        tokens: vec!["<seed:eos>", "<seed:bos>"],
        invented: vec![TOOL_RESPONSE, "<seed:bos>tool\n", "<seed:bos>tool\r\n"],
        ..Around::default()
    };
    blocks(Tags { functions: true, runs: true, ..tags("seed:tool_call") }, around)
}

fn longcat() -> Grammar {
    let keyed = keys("longcat_arg_key", "longcat_arg_value");
    let around = Around {
        reasoning: Some(["<longcat_think>", "</longcat_think>"]),
        tokens: vec!["</longcat_s>", "<longcat_user>", "<longcat_assistant>"],
        invented: vec!["<longcat_tool_response>"],
        ..Around::default()
    };
    blocks(Tags { json: true, keyed, ..tags("longcat_tool_call") }, around)
}

fn iquest_q1() -> Grammar {
    let tags = Tags { keyed: keys("arg_key", "arg_value"), ..tags("iquest_tool_call") };
    blocks(tags, Around { tokens: vec!["<|iquest_end|>", "<|im_end|>"], ..chat_ml() })
}

fn solar_open2() -> Grammar {
    let tag = |tag: &str| format!("<|tool_{tag}|>").into();
    let keys = Keys {
        key: [tag("arg:start"), tag("arg:value")],
        value: [tag("arg:value"), tag("arg:end")],
    };
    let [open, close] = [tag("call:start"), tag("call:end")];
    let own = Tags { open: vec![open], close: vec![close], keyed: Some(keys), ..Tags::default() };
    let around = Around {
        reasoning: Some(["<|think:start|>", "<|think:end|>"]),
        tokens: vec!["<|im:end|>", "<|im:start|>", "<|im:content|>"],
        ..chat_ml()
    };
    blocks(Tags { token: true, untyped: true, ..own }, around)
}

/// Objects between special tokens, which servers strip.
fn objects(open: &[&str], close: &[&str]) -> Tags {
    let (open, close) = (texts(open), texts(close));
    Tags { open, close, json: true, token: true, stripped: true, ..Tags::default() }
}

fn granite() -> Grammar {
    let tags = objects(&["<|tool_call|>", "<tool_call>"], &["</tool_call>"]);
    let around = Around {
        tokens: vec!["<|end_of_text|>", "<|start_of_role|>", "<|end_of_role|>"],
        marks: vec!["<response>", "</response>"],
        ..Around::default()
    };
    blocks(Tags { empty: true, empty_lists: true, ..tags }, around)
}

fn phi4() -> Grammar {
    let tags = objects(&["<|tool_call|>"], &["<|/tool_call|>"]);
    let list_word = Some("functools".into());
    let around = Around {
        tokens: vec!["<|end|>", "<|endoftext|>"],
        invented: vec!["<|tool_response|>"],
        ..Around::default()
    };
    blocks(Tags { list_word, empty: true, empty_lists: true, ..tags }, around)
}

fn apriel() -> Grammar {
    let tags = objects(&["<tool_calls>"], &["</tool_calls>"]);
    let around = Around {
        tokens: vec!["[END FINAL RESPONSE]", "<|end|>", "<|begin_assistant|>", "<|assistant|>"],
        finals: vec!["[BEGIN FINAL RESPONSE]"],
        ..Around::default()
    };
    blocks(Tags { token: false, stripped: false, ..tags }, around)
}

/// The parts of a message of Command's.
const PARTS: [&str; 4] =
    ["<|START_RESPONSE|>", "<|END_RESPONSE|>", "<|START_TEXT|>", "<|END_TEXT|>"];
const COMMAND_THINKS: [&str; 2] = ["<|START_THINKING|>", "<|END_THINKING|>"];

fn command_r() -> Grammar {
    let tags = objects(&["<|START_ACTION|>"], &["<|END_ACTION|>"]);
    let turns = ["<|END_OF_TURN_TOKEN|>", "<|START_OF_TURN_TOKEN|>", "<|CHATBOT_TOKEN|>"];
    let around = Around {
        reasoning: Some(COMMAND_THINKS),
        tokens: [&turns[..], &["<|USER_TOKEN|>", "<|SYSTEM_TOKEN|>"]].concat(),
        invented: vec!["<|START_TOOL_RESULT|>"],
        marks: PARTS.to_vec(),
        ..Around::default()
    };
    let tags = Tags { untyped: true, empty: true, empty_lists: true, ..tags };
    let mut grammar = blocks(tags, around);
    grammar.ids = true;
    grammar
}

fn gigachat3() -> Grammar {
    let tags = objects(&["<|function_call|>", "function call<|role_sep|>"], &[]);
    let around = Around {
        reasoning: Some(["", ""]),
        tokens: vec!["<|message_sep|>", "</s>"],
        invented: vec!["function result<|role_sep|>"],
        ..Around::default()
    };
    blocks(Tags { stripped: false, untyped: true, ..tags }, around)
}

fn json_array() -> Grammar {
    let tags = Tags {
        open: texts(&["<tool_calls>", "<TOOLCALL>", "<|action_start|><|plugin|>"]),
        also_open: texts(&["<|action_start|> <|plugin|>"]),
        close: texts(&["</tool_calls>", "</TOOLCALL>", "<|action_end|>", "<|tools_suffix|>"]),
        json: true,
        members: Some("<|tools_prefix|>".into()),
        untyped: true,
        empty: true,
        empty_lists: true,
        ..Tags::default()
    };
    let around = Around {
        tokens: vec!["<SPECIAL_12>", "<end_of_sentence>", "<|im_end|>", "<|assistant_end|>"],
        invented: vec!["<TOOL_RESPONSE>"],
        ..Around::default()
    };
    blocks(tags, around)
}

fn mistral() -> Grammar {
    let around =
        Around { tokens: vec!["</s>"], invented: vec!["[TOOL_RESULTS]"], ..Around::default() };
    let t = token::Texts {
        open: "[TOOL_CALLS]".into(),
        id: "[CALL_ID]".into(),
        args: "[ARGS]".into(),
        stops: texts(&around.tokens),
    };
    let mut prose = around.prose();
    prose.close.push("[/THINK]".into());
    prose.sealed = Some(["[THINK]", "[/THINK]"].map(Box::from));
    let mut grammar = Grammar::new(prose, Box::new(Token::new(t)));
    (grammar.ids, grammar.words) = (true, true);
    grammar
}

/// Objects that may be calls, and may be the answer. `wrapped`: something stands round each of them.
fn tried(wrapped: bool) -> Grammar {
    let names =
        ["tool_call", "tools", "tool", "function_call", "tool_use", "toolcall", "tool-call"];
    let mut tags = sections(&names);
    tags[0].push("<|plugin|>".into());
    tags[1].push("<|endofblock|>".into());
    let brackets = [
        texts(&["[TOOL_REQUEST]", "[TOOL_CALL]", "[TOOL_CALLS]"]),
        texts(&["[END_TOOL_REQUEST]", "[/TOOL_CALL]", "[/TOOL_CALLS]"]),
    ];
    let around = Around {
        tokens: vec!["<|im_end|>", "<|endoftext|>", "<|end|>", "<|eot_id|>", "<end_of_turn>"],
        ..Around::default()
    };
    let groups = vec![tags, brackets];
    let stops = texts(&around.tokens);
    let tried = Tried::new(tried::Texts { groups, wrapped, stops });
    Grammar::new(around.prose(), Box::new(tried))
}

fn react() -> Grammar {
    let words = react::Texts {
        thought: "Thought".into(),
        action: "Action".into(),
        input: "Action Input".into(),
        observation: "Observation".into(),
        question: "Question".into(),
        answers: texts(&["Final Answer"]),
        no_call: texts(&["None", "N/A", "null", "nothing"]),
        no_call_phrases: texts(&["no tool", "no action"]),
        ends_reasoning: texts(&END_THINK),
    };
    let mut grammar = Grammar::new(Around::default().prose(), Box::new(React::new(words)));
    (grammar.lines, grammar.steps) = (true, true);
    grammar
}

/// Tags with attributes of these names.
fn invoke_tags(call: &str, param: &str) -> Texts {
    Texts {
        call: texts(&[&format!("<{call}")]),
        end_call: texts(&[&format!("</{call}>")]),
        param: texts(&[&format!("<{param}")]),
        end_param: texts(&[&format!("</{param}>")]),
        ..Texts::default()
    }
}

/// Sections of these names.
fn sections(names: &[&str]) -> [Vec<Box<str>>; 2] {
    ["<", "</"].map(|open| names.iter().map(|name| format!("{open}{name}>").into()).collect())
}

fn invoke() -> Grammar {
    let [open, close] = sections(&["function_calls", "minimax:tool_call"]);
    let t = Texts { open, close, lines: true, ..invoke_tags("invoke", "parameter") };
    tagged(t, Around { invented: vec!["<function_results>"], ..Around::default() })
}

fn kimi_k3() -> Grammar {
    let around = Around {
        reasoning: Some(["", ""]),
        tokens: vec!["<|end_of_msg|>", "<|im_end|>", "[EOS]"],
        ..Around::default()
    };
    let stops = ["<|close|>message<|sep|>"].iter().chain(&around.tokens).copied();
    let brackets = Brackets::new(brackets::Texts {
        open: "<|open|>".into(),
        close: "<|close|>".into(),
        sep: "<|sep|>".into(),
        stops: stops.map(Box::from).collect(),
    });
    let mut grammar = Grammar::new(around.prose(), Box::new(brackets));
    grammar.entities = true;
    let json = ["number", "boolean", "null", "object", "array"].map(|of| (of, TypeHint::Json));
    grammar.hints = hints(&[&[("string", TypeHint::String)], &json[..]].concat());
    grammar
}

fn minimax_m3() -> Grammar {
    let sign = "]<]minimax[>[";
    let around = Around {
        reasoning: Some(["<mm:think>", "</mm:think>"]),
        tokens: vec!["[e~[", "]~b]", "]~!b["],
        invented: vec!["<response>"],
        ..Around::default()
    };
    let own = Texts {
        open: texts(&[&format!("{sign}<tool_call>")]),
        close: texts(&[&format!("{sign}</tool_call>")]),
        call: texts(&[&format!("{sign}<invoke")]),
        end_call: texts(&[&format!("{sign}</invoke>")]),
        stops: texts(&around.tokens),
        ..Texts::default()
    };
    let [open, close] = sections(&["minimax:tool_call"]);
    let stops = texts(&around.tokens);
    let plain = Texts { open, close, stops, ..invoke_tags("invoke", "parameter") };
    let element = [format!("{sign}<").into(), format!("{sign}</").into()];
    let nested = Nested::new(own, element, texts(&["tool_call", "invoke"]), plain);
    Grammar::new(around.prose(), Box::new(nested))
}

fn minimax_m2() -> Grammar {
    let [open, close] = sections(&["minimax:tool_call", "function_calls"]);
    let around = Around {
        tokens: vec!["[e~[", "]~b]", "]~!b["],
        invented: vec!["<response>"],
        ..Around::default()
    };
    tagged(Texts { open, close, ..invoke_tags("invoke", "parameter") }, around)
}

fn minicpm5() -> Grammar {
    let quotes = Some(["<![CDATA[".into(), "]]>".into()]);
    let around =
        Around { tokens: vec!["<|im_end|>"], invented: vec![TOOL_RESPONSE], ..Around::default() };
    tagged(Texts { quotes, ..invoke_tags("function", "param") }, around)
}

fn step3() -> Grammar {
    let lead = ["<｜tool_call_begin｜>", "<｜tool_sep｜>", "<｜tool_call_end｜>"];
    let t = Texts {
        open: texts(&["<｜tool_calls_begin｜>"]),
        close: texts(&["<｜tool_calls_end｜>"]),
        lead: Some(lead.map(Box::from)),
        lines: true,
        token: true,
        stripped: true,
        ..invoke_tags("steptml:invoke", "steptml:parameter")
    };
    let around = Around {
        tokens: vec!["<｜end▁of▁sentence｜>", "<|EOT|>", "<｜tool_sep｜>"],
        invented: vec!["<｜tool_outputs_begin｜>"],
        ..Around::default()
    };
    tagged(t, around)
}

fn dots() -> Grammar {
    let [open, close] = sections(&["dots_function_call"]);
    let tags = invoke_tags("invoke", "parameter");
    let around = Around {
        tokens: vec!["<|endofassistant|>", "<|im_end|>"],
        invented: vec!["<dots_function_response>"],
        ..Around::default()
    };
    tagged(Texts { open, close, objects: true, lines: true, ..tags }, around)
}

const DEEPSEEK_TURNS: [&str; 3] = ["<｜end▁of▁sentence｜>", "<｜User｜>", "<｜Assistant｜>"];

/// `word` stands in all its tags, perhaps with a blank behind it.
fn dsml(word: &str, tokens: &[&'static str]) -> Grammar {
    let names = ["tool_calls", "function_calls", " calls", "calls", "toolcalls"];
    let names = names.map(|name| format!("｜{word}｜{name}"));
    let [open, close] = sections(&names.each_ref().map(String::as_str));
    let [plain, blank] = ["", " "].map(|gap| {
        invoke_tags(&format!("｜{word}｜{gap}invoke"), &format!("｜{word}｜{gap}parameter"))
    });
    let t = Texts {
        open,
        close,
        call: [plain.call, blank.call].concat(),
        end_call: [plain.end_call, blank.end_call].concat(),
        param: [plain.param, blank.param].concat(),
        end_param: [plain.end_param, blank.end_param].concat(),
        typed: Some("string".into()),
        object: true,
        token: true,
        misspelt: true,
        ..Texts::default()
    };
    let around =
        Around { tokens: tokens.to_vec(), invented: vec!["<tool_result>"], ..Around::default() };
    let mut grammar = tagged(t, around);
    grammar.hints = hints(&[("true", TypeHint::String), ("", TypeHint::Json)]);
    grammar
}

fn hints(hints: &[(&str, TypeHint)]) -> Vec<(Box<str>, TypeHint)> {
    hints.iter().map(|(text, hint)| ((*text).into(), *hint)).collect()
}

fn cohere_cofl() -> Grammar {
    let [open, close] = sections(&["cofl:tool_calls"]);
    let element = ["<cofl:value", "type", "</cofl:value"].map(Box::from);
    let t = Texts {
        open,
        close,
        typed: Some("string".into()),
        element: Some(element),
        id: true,
        entities: true,
        ..invoke_tags("cofl:tool_call", "cofl:tool_param")
    };
    let around = Around {
        reasoning: Some(COMMAND_THINKS),
        tokens: vec!["<|END_OF_TURN_TOKEN|>"],
        invented: vec!["<cofl:tool_results>"],
        marks: PARTS.to_vec(),
        ..Around::default()
    };
    let mut grammar = tagged(t, around);
    grammar.hints = hints(&[
        ("true", TypeHint::String),
        ("raw", TypeHint::String),
        ("dict", TypeHint::Literal),
        ("list", TypeHint::Literal),
        ("", TypeHint::Json),
    ]);
    grammar
}

/// A dialect of headers.
fn headed(t: headers::Texts, around: Around) -> Grammar {
    let headers = Headers::new(headers::Texts { stops: texts(&around.tokens), ..t });
    Grammar::new(around.prose(), Box::new(headers))
}

/// A header: texts, and `{name}`, `{id}` and `{word}`.
fn head(parts: &[&str]) -> Vec<Part> {
    let part = |part: &&str| match *part {
        "{name}" => Part::Name,
        "{id}" => Part::Id,
        "{word}" => Part::Word,
        token => Part::Token(token.into()),
    };
    parts.iter().map(part).collect()
}

/// `deepseek-v3` and `deepseek-v31`, which is written otherwise.
fn deepseek_v3() -> Grammar {
    let [begin, separator] = ["<｜tool▁call▁begin｜>", "<｜tool▁sep｜>"];
    let t = headers::Texts {
        open: "<｜tool▁calls▁begin｜>".into(),
        close: "<｜tool▁calls▁end｜>".into(),
        heads: vec![
            head(&[begin, "{name}", separator]),
            head(&[begin, "{word}", separator, "{name}"]),
        ],
        words: texts(&["function"]),
        ends: texts(&["<｜tool▁call▁end｜>"]),
        fenced: true,
        ..headers::Texts::default()
    };
    let around = Around {
        tokens: DEEPSEEK_TURNS.to_vec(),
        invented: vec!["<｜tool▁outputs▁begin｜>"],
        ..Around::default()
    };
    headed(t, around)
}

fn solar_open() -> Grammar {
    let [begin, name, args, end] =
        ["begin", "name", "args", "end"].map(|tag| format!("<|tool_call:{tag}|>"));
    let t = headers::Texts {
        open: "<|tool_calls|>".into(),
        close: "<|calls|>".into(),
        heads: vec![head(&[&begin, "{id}", &name, "{name}", &args])],
        ends: vec![end.into()],
        ..headers::Texts::default()
    };
    let around = Around {
        reasoning: Some(["<|think|>", "<|end|>"]),
        tokens: vec!["<|begin|>assistant", "<|begin|>", "<|content|>", "<|flush|>", "<|end|>"],
        ..Around::default()
    };
    headed(t, around)
}

fn plamo3() -> Grammar {
    let token = |name: &str| format!("<|plamo:{name}:plamo|>");
    let [begin, name, end_name, args] =
        ["begin_tool_request", "begin_tool_name", "end_tool_name", "begin_tool_arguments"]
            .map(token);
    let [constrain, message] = ["<|plamo:constrain|>json", "<|plamo:msg|>"];
    let rests = [&[constrain, message][..], &[], &[message], &[constrain]];
    let beheaded =
        rests.map(|rest| head(&[&[&name, "{name}", &end_name, &args][..], rest].concat()));
    let whole = |rest: &Vec<Part>| [head(&[&begin]), rest.clone()].concat();
    let t = headers::Texts {
        open: token("begin_tool_requests").into(),
        close: token("end_tool_requests").into(),
        heads: beheaded.iter().map(whole).collect(),
        beheaded: beheaded.into(),
        tight: true,
        ends: ["end_tool_arguments", "end_tool_request"].map(|end| token(end).into()).into(),
        ..headers::Texts::default()
    };
    let around = Around {
        reasoning: Some(["<|plamo:begin_think:plamo|>", "<|plamo:end_think:plamo|>"]),
        tokens: vec!["<|plamo:tag|>"],
        ..Around::default()
    };
    headed(t, around)
}

fn inkling() -> Grammar {
    let ends = ["<|end_message|>", "<|content_model_end_sampling|>"];
    let kinds = Kinds::new(kinds::Texts {
        model: "<|message_model|>".into(),
        call: "<|content_invoke_tool_json|>".into(),
        thinking: "<|content_thinking|>".into(),
        content: "<|content_".into(),
        ends: texts(&ends),
    });
    let around = Around { reasoning: Some(["", ""]), ..Around::default() };
    Grammar::new(around.prose(), Box::new(kinds))
}

fn hunyuan() -> Grammar {
    let tokens = ["<｜hy_eos｜>", "<｜hy_User｜>", "<｜hy_Assistant｜>"];
    let invented = ["<tool_responses>", "<tool_response>"];
    let t = listed::Texts {
        section: pair("tool_calls"),
        call: pair("tool_call"),
        separator: Some("<tool_sep>".into()),
        key: pair("arg_key"),
        value: pair("arg_value"),
        object: true,
        suspects: texts(&["</arg_key", "</arg_value", "<arg_key", "<arg_value"]),
        named_closers: texts(&["</"]),
        tokens: texts(&tokens),
        suffixes: Some(listed::Suffixes { invented: texts(&invented), reasoning: pair("think") }),
        ..listed::Texts::default()
    };
    let around =
        Around { tokens: tokens.to_vec(), invented: invented.to_vec(), ..Around::default() };
    Grammar::new(around.prose(), Box::new(Listed::new(t)))
}

fn k2_horizon() -> Grammar {
    let tokens = ["<|im_end|>"];
    let t = listed::Texts {
        section: pair("ifm|tool_calls"),
        call: pair("ifm|tool_call"),
        key: pair("ifm|arg_key"),
        hint: Some(pair("ifm|arg_type")),
        value: pair("ifm|arg_value"),
        named_objects: true,
        suspects: texts(&["</ifm|", "<ifm|"]),
        named_closers: texts(&["</ifm|", "</"]),
        tokens: texts(&tokens),
        ..listed::Texts::default()
    };
    let around =
        Around { tokens: tokens.to_vec(), invented: vec![TOOL_RESPONSE], ..Around::default() };
    let thinks = ["ifm|think", "ifm|think_fast", "ifm|think_faster"].map(pair);
    let tags = |which: usize| thinks.iter().map(|tags| tags[which].clone()).collect();
    let prose = Prose { open: tags(0), close: tags(1), anywhere: true, ..around.prose() };
    let mut grammar = Grammar::new(prose, Box::new(Listed::new(t)));
    let json = ["integer", "number", "boolean", "null", "object", "array"];
    let json = json.map(|of| (of, TypeHint::Json));
    grammar.hints = hints(&[&[("string", TypeHint::String)], &json[..]].concat());
    grammar.hints_yield = true;
    grammar
}

/// The tags of this name.
fn pair(name: &str) -> [Box<str>; 2] {
    [format!("<{name}>").into(), format!("</{name}>").into()]
}

fn muse() -> Grammar {
    let ends = ["<|eom|>", "<|eot|>"];
    let [open, mut close] = sections(&["atem:function_calls"]);
    // They close what stands in a message, too.
    close.extend(texts(&ends));
    let t = Texts {
        open,
        close,
        token: true,
        stops: texts(&ends),
        ..invoke_tags("atem:invoke", "atem:parameter")
    };
    let around = Around { reasoning: Some(["", ""]), ..Around::default() };
    Grammar::new(around.prose(), Box::new(Messages::new(Tagged::new(t))))
}

fn kimi_k2() -> Grammar {
    let token = |name: &str| format!("<|tool_call{name}|>").into();
    let around = Around { tokens: vec!["<|im_end|>", "[EOS]"], ..Around::default() };
    let t = ids::Texts {
        open: vec![token("s_section_begin"), token("_section_begin")],
        close: vec![token("s_section_end"), token("_section_end")],
        begin: token("_begin"),
        argument: token("_argument_begin"),
        end: token("_end"),
        prefix: "functions.".into(),
        result: ["<|im_system|>", "tool", "<|im_middle|>"].map(Box::from),
        stops: texts(&around.tokens),
    };
    Grammar::new(around.prose(), Box::new(Ids::new(t)))
}

/// A dialect of Python's calls.
fn python_calls(t: python::Texts, around: Around) -> Grammar {
    let python = Python::new(python::Texts { stops: texts(&around.tokens), ..t });
    Grammar::new(around.prose(), Box::new(python))
}

fn pythonic() -> Grammar {
    let t = python::Texts {
        form: Form::Alone,
        open: "<|python_start|>".into(),
        close: "<|python_end|>".into(),
        tag: Some("<|python_tag|>".into()),
        ..python::Texts::default()
    };
    let tokens =
        ["<|eot|>", "<|eot_id|>", "<|eom_id|>", "<|eom|>", "<|end_of_text|>", "<|im_end|>"];
    python_calls(t, Around { tokens: tokens.to_vec(), ..Around::default() })
}

fn llama3_json() -> Grammar {
    let t = python::Texts {
        form: Form::Objects,
        tag: Some("<|python_tag|>".into()),
        function: Some(["<function=".into(), "</function>".into()]),
        ..python::Texts::default()
    };
    let around = Around {
        reasoning: Some(["", ""]),
        tokens: vec!["<|eot_id|>", "<|eom_id|>", "<|end_of_text|>", "<|eot|>"],
        ..Around::default()
    };
    python_calls(t, around)
}

fn lfm2() -> Grammar {
    let t = python::Texts {
        form: Form::Between,
        open: "<|tool_call_start|>".into(),
        close: "<|tool_call_end|>".into(),
        ..python::Texts::default()
    };
    let around = Around {
        tokens: vec!["<|im_end|>"],
        invented: vec!["<|tool_response_start|>"],
        ..Around::default()
    };
    let mut grammar = python_calls(t, around);
    grammar.repeats = true;
    grammar
}

fn olmo3() -> Grammar {
    let t = python::Texts {
        form: Form::Lines,
        open: "<function_calls>".into(),
        close: "</function_calls>".into(),
        ..python::Texts::default()
    };
    let around = Around {
        tokens: vec!["<|im_end|>", "<|endoftext|>"],
        invented: vec!["<|im_start|>environment"],
        ..Around::default()
    };
    python_calls(t, around)
}

fn functionary() -> Grammar {
    let around = Around { reasoning: Some(["", ""]), ..Around::default() };
    Grammar::new(around.prose(), Box::new(Recipients::new("<|eot_id|>")))
}

/// The texts of messages in envelopes.
fn envelopes() -> envelope::Texts {
    envelope::Texts {
        start: "<|start|>".into(),
        message: "<|message|>".into(),
        ends: texts(&["<|end|>", "<|call|>", "<|return|>"]),
        channel: "<|channel|>".into(),
        constrain: "<|constrain|>".into(),
        thinks: "analysis".into(),
        author: "assistant".into(),
        to: "to=".into(),
        ..envelope::Texts::default()
    }
}

/// A dialect of such messages.
fn in_envelopes(t: envelope::Texts) -> Grammar {
    let around = Around { reasoning: Some(["", ""]), ..Around::default() };
    let mut grammar = Grammar::new(around.prose(), Box::new(Envelope::new(t)));
    grammar.messages = true;
    grammar
}

fn harmony() -> Grammar {
    in_envelopes(envelope::Texts { prefix: "functions.".into(), ..envelopes() })
}

fn beam() -> Grammar {
    let argument = envelope::Argument {
        head: "<rfl:parameter".into(),
        close: "</rfl:parameter>".into(),
        heads: texts(&["</rfl:", "<rfl:"]),
        named: texts(&["</", "</rfl:"]),
    };
    in_envelopes(envelope::Texts { argument: Some(argument), ..envelopes() })
}
