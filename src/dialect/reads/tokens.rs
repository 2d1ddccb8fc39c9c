//! Dialects of special tokens: headers, ids, keyed calls, messages, envelopes.

use super::tags::invoke_tags;
use super::tags::{DEEPSEEK_TURNS, hints, sections};
use super::{Around, TOOL_RESPONSE, texts};
use crate::event::TypeHint;
use crate::family::Framing;
use crate::family::envelope::{self, Envelope};
use crate::family::headers::{self, Headers, Part};
use crate::family::ids::{self, Ids};
use crate::family::kinds::{self, Kinds};
use crate::family::listed::{self, Listed};
use crate::family::recipients::Recipients;
use crate::family::tags::messages::Messages;
use crate::family::tags::{Tagged, Texts};
use crate::family::token::{self, Token};
use crate::family::written::{
    self,
    mark::{Known, Name, Of, Piece},
};
use crate::read::class::Class;
use crate::read::machine::Grammar;
use crate::read::prose::Prose;

pub(in crate::dialect) fn mistral() -> Grammar {
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
    grammar.ids = true;
    grammar.words = true;
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

/// The grammar of `deepseek-v3` and `deepseek-v31`, which differ only in writing.
pub(in crate::dialect) fn deepseek_v3() -> Grammar {
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

pub(in crate::dialect) fn solar_open() -> Grammar {
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

pub(in crate::dialect) fn plamo3() -> Grammar {
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

pub(in crate::dialect) fn inkling() -> Grammar {
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

pub(in crate::dialect) fn hunyuan() -> Grammar {
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

pub(in crate::dialect) fn k2_horizon() -> Grammar {
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

pub(in crate::dialect) fn muse() -> Grammar {
    let ends = ["<|eom|>", "<|eot|>"];
    let [open, mut close] = sections(&["atem:function_calls"]);
    // The end of a message closes its section, too.
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

pub(in crate::dialect) fn kimi_k2() -> Grammar {
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

pub(in crate::dialect) fn functionary() -> Grammar {
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
        constrain: texts(&["<|constrain|>"]),
        thinks: "analysis".into(),
        author: "assistant".into(),
        to: "to=".into(),
        ..envelope::Texts::default()
    }
}

/// A dialect of messages in envelopes.
fn in_envelopes(t: envelope::Texts) -> Grammar {
    let around = Around { reasoning: Some(["", ""]), ..Around::default() };
    let mut grammar = Grammar::new(around.prose(), Box::new(Envelope::new(t)));
    grammar.messages = true;
    grammar
}

/// The grammar of `harmony`. `stripped`: servers take the special tokens off.
pub(in crate::dialect) fn harmony(stripped: bool) -> Grammar {
    in_envelopes(envelope::Texts { prefix: "functions.".into(), stripped, ..envelopes() })
}

pub(in crate::dialect) fn beam() -> Grammar {
    let text = |text: &str| Piece::Text(text.into());
    let opener = |known: Known| {
        let name = Name {
            kind: Of::Param,
            known,
            class: Class::Bare,
            quoted: true,
            up_to: None,
            optional: false,
            prefix: "".into(),
            not: Vec::new(),
        };
        vec![text("<rfl:parameter"), Piece::White, text("name="), Piece::Name(name), text(">")]
    };
    let named = |head: &str| vec![text(head), Piece::SameParam, text(">")];
    let argument = envelope::Argument {
        marks: written::Argument {
            any: opener(Known::Any),
            opener: opener(Known::Any),
            next: opener(Known::Any),
            declared: opener(Known::Declared),
            starts: Vec::new(),
            fresh: opener(Known::Fresh),
            close: vec![text("</rfl:parameter>")],
            closes_line: false,
            is_xml: false,
            framing: Framing::LineBreak,
            suspects: ["</rfl:", "<rfl:"].map(|head| vec![text(head)]).into(),
        },
        named: ["</", "</rfl:"].map(named).into(),
    };
    in_envelopes(envelope::Texts { argument: Some(argument), ..envelopes() })
}
