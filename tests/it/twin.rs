//! The machine has the events of its slow twin, for any text.

use toolstream::check::Ended;
use toolstream::{Dialect, Param, Tool, options::Options};

use crate::bodies;
use crate::support::soup::Case;
use crate::support::{inputs, soup};

/// Longest tag and longest run of white space after a marker, in bytes.
const TAG: usize = 512;
const WHITE_SPACE: usize = 256;

#[test]
fn agrees_on_soup() {
    let rounds: u64 = std::env::var("TWIN_ROUNDS").map_or(20, |n| n.parse().expect("a number"));
    for seed in 0..rounds {
        bodies::twin(&soup::seeded(seed, 12 + seed as usize % 80));
    }
}

/// A call with blanks in one of its tags, up to and over the longest tag, and with white space behind a tag, up to and over the
/// longest run.
#[test]
fn agrees_at_the_bounds() {
    for dialect in soup::TWINNED.iter().filter(|dialect| **dialect != Dialect::REACT) {
        let message = inputs::read(dialect, "a");
        for (close, _) in message.match_indices('>') {
            let open = message[..close].rfind('<').expect("a tag");
            let blanks = TAG - (close + 1 - open);
            for more in [blanks - 1, blanks, blanks + 1] {
                at_the_bounds(dialect, &message, close, more);
            }
            for more in [-2, -1, 0, 1] {
                at_the_bounds(dialect, &message, close + 1, WHITE_SPACE.wrapping_add_signed(more));
            }
        }
    }
}

fn at_the_bounds(dialect: &Dialect, message: &str, at: usize, blanks: usize) {
    let (before, after) = message.split_at(at);
    let text = format!("{before}{}{after}", " ".repeat(blanks));
    let tools = vec![Tool::new("read_file").param(Param::required("path"))];
    let every = |size| (size..text.len()).step_by(size).collect();
    for cuts in [vec![], every(1), every(7)] {
        let (tools, text) = (tools.clone(), text.clone());
        let (options, ended) = (Options::default(), Ended::Stop);
        bodies::agrees(&Case { dialect: dialect.clone(), tools, options, ended, text, cuts });
    }
}

/// Half of a second body in a section is half an opener if it is long enough. White space counts.
#[test]
fn agrees_on_half_a_body() {
    let mut options = Options::default();
    options.tool_limit = None;
    for dialect in [Dialect::HERMES, Dialect::TOOL_CALL] {
        for call in ["{\"name\": \"read\"}", "{\"name\": \"read\", \"arguments\": {}}"] {
            for half in ["{", "{ ", "{  ", "{\n ", "{\"", " {", " {  "] {
                let text = format!("<tool_call>\n{call}{half}");
                let tools = vec![Tool::new("read").param(Param::required("path"))];
                let (options, ended) = (options.clone(), Ended::Stop);
                let dialect = dialect.clone();
                bodies::agrees(&Case { dialect, tools, options, ended, text, cuts: vec![] });
            }
        }
    }
}

/// The stream ends in the white space of a function's tag. The tag may be as long as any tag.
#[test]
fn agrees_on_half_a_tag() {
    let halves = [
        "<function=read",
        "<tool_call><function=read",
        "<tool_call><tool_call><function=read",
        "<tool_call><function=read></function></tool_call><tool_call><function=read",
    ];
    for dialect in [Dialect::QWEN3_CODER, Dialect::TOOL_CALL] {
        for half in halves {
            let most = TAG - "<function=read".len();
            for blanks in [WHITE_SPACE, WHITE_SPACE + 1, most, most + 1] {
                let text = format!("{half}{}", "\n".repeat(blanks));
                for ended in [Ended::Stop, Ended::Cut] {
                    let tools = vec![Tool::new("read").param(Param::required("path"))];
                    let (text, options) = (text.clone(), Options::default());
                    let dialect = dialect.clone();
                    bodies::agrees(&Case { dialect, tools, options, ended, text, cuts: vec![] });
                }
            }
        }
    }
}

/// A tool's name may stand in quotes. What is no name there is text. (Found by fuzzing.)
#[test]
fn agrees_on_quoted_names() {
    let rest = "<param:path>a</param:path></tool:read>";
    for name in ["\"read\"", "'read'", "\"read'", "\"'", "\"a b\"", "\"<\"", "\"", "\"\""] {
        for text in [format!("<tool:{name}>{rest}"), format!("<tool:{name}")] {
            for ended in [Ended::Stop, Ended::Cut] {
                let tools = vec![Tool::new("read").param(Param::required("path"))];
                let (text, options) = (text.clone(), Options::default());
                let dialect = Dialect::CODE_ASSISTANT;
                bodies::agrees(&Case { dialect, tools, options, ended, text, cuts: vec![] });
            }
        }
    }
}

/// An object that is broken before its name protects nothing, also where it goes on behind its brace. (Found by fuzzing.)
#[test]
fn agrees_on_an_object_that_goes_on() {
    for dialect in [Dialect::HERMES, Dialect::TOOL_CALL] {
        for first in ["{\"\"}", "{\"a\": 1}", "{\"name\": \"read\"}"] {
            for rest in ["\"args\": \"", "\"args\": {\"path\": \"", "\"\"\"args\"\"\": \"\"\""] {
                let text = format!("<tool_call>{first}, {rest}</tool_call> So.");
                let tools = vec![Tool::new("read").param(Param::required("path"))];
                let (options, ended) = (Options::default(), Ended::Stop);
                let dialect = dialect.clone();
                bodies::agrees(&Case { dialect, tools, options, ended, text, cuts: vec![] });
            }
        }
    }
}

/// In an object that is broken before its name a backslash protects nothing, either. (Found by fuzzing.)
#[test]
fn agrees_on_a_backslash_that_protects_nothing() {
    for dialect in [Dialect::HERMES, Dialect::TOOL_CALL] {
        for body in ["{\"\"v\"\\", "{\"a\" \"b\\", "{\"a\" \"b\\\\", "{\"a\" \"b\\<x\\<"] {
            let text = format!("<tool_call>{body}</tool_call> So.");
            let (tools, options, ended) = (vec![], Options::default(), Ended::Stop);
            let dialect = dialect.clone();
            bodies::agrees(&Case { dialect, tools, options, ended, text, cuts: vec![] });
        }
    }
}

/// The opener of a call that only the next opener confirms ends a value that has no opener of its own. (Found by fuzzing.)
#[test]
fn agrees_on_a_call_that_the_next_one_confirms() {
    for dialect in [Dialect::GLM, Dialect::TOOL_CALL] {
        for key in ["<arg_key>", "<arg_key>path</arg_key>", "<arg_key>path</arg_key><arg_value>"] {
            let next = "<tool_call>read</arg_value><tool_call>read</tool_call>";
            let text = format!("<tool_call>read{key}{next} So.");
            let tools = vec![Tool::new("read").param(Param::required("path"))];
            let (mut options, ended) = (Options::default(), Ended::Stop);
            options.tool_limit = None;
            let dialect = dialect.clone();
            bodies::agrees(&Case { dialect, tools, options, ended, text, cuts: vec![] });
        }
    }
}

/// Behind a closer that closes nothing, or that is cut short, an opener stands that nothing confirms.
#[test]
fn agrees_on_an_opener_behind_a_stray_closer() {
    let argument = "<arg_key>path</arg_key><arg_value>a</arg_value>";
    let calls = ["read</arg_value>", "read</tool>", "read<arg_key>path</arg_key></tool>"];
    let calls = calls.map(String::from).into_iter();
    for call in calls.chain([format!("read{argument}</tool>"), format!("read{argument}")]) {
        for next in ["<tool_call>", "<tool_call> x", "<tool_call><_", "<tool_c", " <tool_call>read"]
        {
            for dialect in [Dialect::GLM, Dialect::TOOL_CALL] {
                for ended in [Ended::Stop, Ended::Cut] {
                    let text = format!("<tool_call>{call}{next}");
                    let tools = vec![Tool::new("read").param(Param::required("path"))];
                    let (options, dialect) = (Options::default(), dialect.clone());
                    bodies::agrees(&Case { dialect, tools, options, ended, text, cuts: vec![] });
                }
            }
        }
    }
}

/// Behind a whole opener at the end of the stream stand boundary tokens, the last of them perhaps a half. (Found by fuzzing.)
#[test]
fn agrees_on_boundary_tokens_behind_an_opener() {
    for (dialect, token) in [(Dialect::GLM, "<|observation|>"), (Dialect::HERMES, "<|im_end|>")] {
        for count in 0..5 {
            for half in ["", "<", "<|", "\n"] {
                for ended in [Ended::Stop, Ended::Cut] {
                    let text = format!("<tool_call>{}{half}", token.repeat(count));
                    let (options, dialect) = (Options::default(), dialect.clone());
                    let tools = vec![];
                    bodies::agrees(&Case { dialect, tools, options, ended, text, cuts: vec![] });
                }
            }
        }
    }
}

/// A key of arguments without a value, and another member before the name: that member waits for nothing. (Found by fuzzing.)
#[test]
fn agrees_on_arguments_without_a_value() {
    for dialect in [Dialect::HERMES, Dialect::TOOL_CALL] {
        for colons in [":", "::", ": :", "::\"\"", ": \"v\""] {
            for other in ["\"x\": 1", "\"x\": {\"y\": 2}", "\"path\": \"a\""] {
                for end in ["", "}", "}</tool_call>", "</tool_call>"] {
                    let members = format!("\"args\"{colons}, {other}, \"name\": \"read\"");
                    let text = format!("<tool_call>{{{members}{end}");
                    let tools = vec![Tool::new("read").param(Param::required("path"))];
                    let (options, ended) = (Options::default(), Ended::Stop);
                    let dialect = dialect.clone();
                    bodies::agrees(&Case { dialect, tools, options, ended, text, cuts: vec![] });
                }
            }
        }
    }
}

/// A function's opener, right or wrong, that the end of the stream cuts at any byte. (Found by fuzzing.)
#[test]
fn agrees_on_cut_openers_of_functions() {
    for opener in ["<function=", "<parameter=", "<function= ", "<parameter= ", "<"] {
        for name in ["read", "\"read\"", "'read'", "other", "ré.d", "\"ré.d\""] {
            let text = format!("<tool_call>\n{opener}{name} >\n<parameter=path>\na</parameter>");
            for (end, _) in text.char_indices().skip("<tool_call>".len()) {
                for ended in [Ended::Stop, Ended::Cut] {
                    let text = text[..end].to_string();
                    let read = Tool::new("read").param(Param::required("path"));
                    let tools = vec![read, Tool::new("ré.d")];
                    let (options, dialect) = (Options::default(), Dialect::QWEN3_CODER);
                    bodies::agrees(&Case { dialect, tools, options, ended, text, cuts: vec![] });
                }
            }
        }
    }
}

/// White space in place of a name, as long as a tag may be and longer. (Found by fuzzing.)
#[test]
fn agrees_on_long_white_space_for_a_name() {
    for dialect in [Dialect::QWEN3_CODER, Dialect::TOOL_CALL] {
        for tag in ["<parameter=", "<parameter=\n", "<function=", "<function=\n"] {
            for begin in ["<tool_call>\n", "<tool_call>\n<function=read>\n"] {
                for behind in ["</parameter>", "read>", "é>", ""] {
                    for spaces in 494..506 {
                        let white = " ".repeat(spaces);
                        let closers = "<parameter=path>\na\n</parameter></function></tool_call>";
                        let text = format!("{begin}{tag}{white}{behind}{closers}");
                        let tools = vec![Tool::new("read").param(Param::required("path"))];
                        let (options, ended, dialect) =
                            (Options::default(), Ended::Stop, dialect.clone());
                        bodies::agrees(&Case {
                            dialect,
                            tools,
                            options,
                            ended,
                            text,
                            cuts: vec![],
                        });
                    }
                }
            }
        }
    }
}
