//! Dialects of blocks, and of JSON between markers.

use super::{Around, BOUNDARY, TOOL_RESPONSE, chat_ml, tags, texts};
use crate::family::block::{Block, Keys, Tags};
use crate::read::machine::Grammar;

/// A dialect of blocks.
fn blocks(tags: Tags, around: Around) -> Grammar {
    let block = Block::new(Tags { stops: texts(&around.tokens), ..tags });
    Grammar::new(around.prose(), Box::new(block))
}

/// The tags of the family of `<tool_call>`, which models mix.
fn tool_call_tags() -> Tags {
    Tags { invented_turn: Some(TOOL_RESPONSE.into()), runs: true, ..tags("tool_call") }
}

fn keys(key: &str, value: &str) -> Option<Keys> {
    let tags = |name: &str| [format!("<{name}>").into(), format!("</{name}>").into()];
    Some(Keys { key: tags(key), value: tags(value) })
}

pub(in crate::dialect) fn hermes() -> Grammar {
    blocks(Tags { json: true, ..tool_call_tags() }, chat_ml())
}

pub(in crate::dialect) fn qwen3_coder() -> Grammar {
    blocks(Tags { functions: true, lines: true, ..tool_call_tags() }, chat_ml())
}

pub(in crate::dialect) fn glm() -> Grammar {
    let others = ["<|role_end|>", "<｜end▁of▁sentence｜>", "</assistant>"];
    let tags = Tags { keyed: keys("arg_key", "arg_value"), ..tags("tool_call") };
    blocks(tags, Around { tokens: [&BOUNDARY[..], &others].concat(), ..chat_ml() })
}

pub(in crate::dialect) fn tool_call() -> Grammar {
    let keyed = keys("arg_key", "arg_value");
    let tags = Tags { json: true, functions: true, lines: true, keyed, ..tool_call_tags() };
    blocks(tags, Around { tokens: [&BOUNDARY[..], &["<|role_end|>"]].concat(), ..chat_ml() })
}

pub(in crate::dialect) fn seed_oss() -> Grammar {
    let around = Around {
        reasoning: Some(["<seed:think>", "</seed:think>"]),
        tokens: vec!["<seed:eos>", "<seed:bos>"],
        invented: vec![TOOL_RESPONSE, "<seed:bos>tool\n", "<seed:bos>tool\r\n"],
        ..Around::default()
    };
    blocks(Tags { functions: true, runs: true, ..tags("seed:tool_call") }, around)
}

pub(in crate::dialect) fn longcat() -> Grammar {
    let keyed = keys("longcat_arg_key", "longcat_arg_value");
    let around = Around {
        reasoning: Some(["<longcat_think>", "</longcat_think>"]),
        tokens: vec!["</longcat_s>", "<longcat_user>", "<longcat_assistant>"],
        invented: vec!["<longcat_tool_response>"],
        ..Around::default()
    };
    blocks(Tags { json: true, keyed, ..tags("longcat_tool_call") }, around)
}

pub(in crate::dialect) fn iquest_q1() -> Grammar {
    let tags = Tags { keyed: keys("arg_key", "arg_value"), ..tags("iquest_tool_call") };
    blocks(tags, Around { tokens: vec!["<|iquest_end|>", "<|im_end|>"], ..chat_ml() })
}

pub(in crate::dialect) fn solar_open2() -> Grammar {
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
pub(super) fn objects(open: &[&str], close: &[&str]) -> Tags {
    let (open, close) = (texts(open), texts(close));
    Tags { open, close, json: true, token: true, stripped: true, ..Tags::default() }
}

pub(in crate::dialect) fn granite() -> Grammar {
    let tags = objects(&["<|tool_call|>", "<tool_call>"], &["</tool_call>"]);
    let around = Around {
        tokens: vec!["<|end_of_text|>", "<|start_of_role|>", "<|end_of_role|>"],
        marks: vec!["<response>", "</response>"],
        ..Around::default()
    };
    blocks(Tags { empty: true, empty_lists: true, ..tags }, around)
}

/// The grammar of `phi4`. `bare`: a message may begin with objects alone.
pub(in crate::dialect) fn phi4(bare: bool) -> Grammar {
    let tags = objects(&["<|tool_call|>"], &["<|/tool_call|>"]);
    let list_word = Some("functools".into());
    let around = Around {
        tokens: vec!["<|end|>", "<|endoftext|>"],
        invented: vec!["<|tool_response|>"],
        ..Around::default()
    };
    blocks(Tags { list_word, empty: true, empty_lists: true, tried: bare, ..tags }, around)
}

pub(in crate::dialect) fn apriel() -> Grammar {
    let tags = objects(&["<tool_calls>"], &["</tool_calls>"]);
    let around = Around {
        tokens: vec!["[END FINAL RESPONSE]", "<|end|>", "<|begin_assistant|>", "<|assistant|>"],
        finals: vec!["[BEGIN FINAL RESPONSE]"],
        ..Around::default()
    };
    blocks(Tags { token: false, stripped: false, ..tags }, around)
}

/// The parts of Command's messages.
pub(super) const PARTS: [&str; 4] =
    ["<|START_RESPONSE|>", "<|END_RESPONSE|>", "<|START_TEXT|>", "<|END_TEXT|>"];

pub(super) const COMMAND_THINKS: [&str; 2] = ["<|START_THINKING|>", "<|END_THINKING|>"];

pub(in crate::dialect) fn command_r() -> Grammar {
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

pub(in crate::dialect) fn gigachat3() -> Grammar {
    let tags = objects(&["<|function_call|>", "function call<|role_sep|>"], &[]);
    let around = Around {
        reasoning: Some(["", ""]),
        tokens: vec!["<|message_sep|>", "</s>"],
        invented: vec!["function result<|role_sep|>"],
        ..Around::default()
    };
    blocks(Tags { stripped: false, untyped: true, ..tags }, around)
}

pub(in crate::dialect) fn json_array() -> Grammar {
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
