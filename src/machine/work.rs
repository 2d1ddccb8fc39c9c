//! Law 6, time, without a clock: however hostile the text and however small the chunks, the machine
//! examines at most so many bytes for each byte that comes, and twice the text is twice the work.
//!
//! What is counted is [`Machine::examined`]: a byte, once for each rule that looked at it, each time that
//! the lexer reads it, and each time that it is searched for what may begin. In chunks
//! of one byte the work is counted by state, too: that in which the byte came. (What is read again
//! after a marker counts for the state before it: there its bytes came.)
//!
//! `cargo test --lib machine::work -- --nocapture` prints what is measured beside each limit, and
//! the text that it was measured with.
#![cfg(feature = "json")]

use super::{Machine, State};
use crate::dialect::Dialect;
use crate::event::Event;
use crate::limit::{Limit, LimitState};
use crate::machine::tables::Tables;
use crate::options::bounds;

#[path = "../../tests/it/support/inputs.rs"]
mod inputs;

/// Longer than any bound on what is held (1.5 KiB), but for arguments before their name.
const LEN: usize = 8 << 10;

const CHUNKS: [usize; 14] = [1, 2, 3, 4, 5, 7, 8, 16, 61, 64, 256, 1024, 4096, usize::MAX];

/// Twice the text may cost twice the work, and a sixteenth of it.
const DOUBLE: f64 = 2.0 * 17.0 / 16.0;

/// The most bytes that a kind of dialect examines for each byte of a text.
struct Limits {
    kind: &'static str,
    /// Of an ordinary text, in chunks of every size.
    ordinary: f64,
    /// Of any text, the end of the stream included.
    overall: f64,
    /// Byte by byte, for each that came in this state. A state that is not here is not reached.
    states: &'static [(State, f64)],
}

/// The worst is white space after an opener: each element of the follow set may begin after it.
const TAGS: Limits = Limits {
    kind: "tags",
    ordinary: 1.2,
    overall: 10.5,
    states: &[(State::Prose, 10.5), (State::Section, 2.0), (State::Call, 6.0), (State::Value, 6.5)],
};

/// The same.
const JSON: Limits = Limits {
    kind: "JSON",
    ordinary: 1.1,
    overall: 10.5,
    states: &[(State::Prose, 10.5), (State::Section, 1.5), (State::Body, 2.5)],
};

/// The same; a word that may become the name of a tool is looked at again when it has not, and white space
/// after a call when it is known whose it is.
const NAMES: Limits = Limits {
    kind: "JSON after names",
    ordinary: 1.6,
    states: &[(State::Prose, 10.5), (State::Section, 1.9), (State::Body, 2.5)],
    ..JSON
};

/// The same, with the follow sets of all bodies.
const EITHER: Limits = Limits {
    kind: "tags or JSON",
    ordinary: 1.2,
    overall: 25.0,
    states: &[
        (State::Prose, 25.0),
        (State::Section, 1.5),
        (State::Call, 6.0),
        (State::Value, 6.5),
        (State::Body, 2.5),
    ],
};

/// JSON calls at the start of the message or after headers: their sections are few bytes long, each of
/// which may still be the beginning of one thing or another. A `>` anywhere in code may begin a header.
const STARTS: Limits = Limits {
    kind: "JSON at a start",
    ordinary: 1.2,
    states: &[
        (State::Prose, 10.5),
        (State::Section, 3.5),
        (State::Call, 1.5),
        (State::Value, 1.5),
        (State::Body, 2.5),
    ],
    ..JSON
};

/// Literals: between them no more than JSON is looked at.
const LITERALS: Limits = Limits {
    kind: "literals",
    ordinary: 1.2,
    overall: 10.5,
    states: &[(State::Prose, 10.5), (State::Section, 2.5), (State::Call, 1.5), (State::Body, 3.0)],
};

/// The worst is half a keyword with characters before it that decorate it: each keyword may come. All text
/// is looked at twice, for lines and for tags.
const LINES: Limits = Limits {
    kind: "lines",
    ordinary: 2.1,
    overall: 15.0,
    states: &[
        (State::Prose, 15.0),
        (State::Section, 15.0),
        (State::Call, 15.0),
        (State::Value, 15.0),
        (State::Body, 1.6),
        (State::Rest, 1.1),
    ],
};

/// Tags, and markers that begin with a line: likewise.
const TAGS_AND_LINES: Limits = Limits { kind: "tags and lines", ordinary: 2.1, ..TAGS };

/// A header may be one of a call, of none, and one that another marker interrupts. One that ends an open
/// message is read before it does, and once more as a header.
const HEADERS: Limits = Limits {
    kind: "headers and JSON",
    ordinary: 1.7,
    overall: 5.5,
    states: &[(State::Prose, 5.5), (State::Section, 5.5), (State::Call, 4.0), (State::Body, 5.0)],
};

/// Markers of envelopes in text: behind its channel a header may go on, end before its message, or be none.
const ENVELOPES: Limits = Limits {
    kind: "envelopes and JSON",
    overall: 6.5,
    states: &[(State::Prose, 5.5), (State::Section, 7.5), (State::Call, 4.0), (State::Body, 5.5)],
    ..HEADERS
};

/// The same, with parameters as elements.
const MESSAGES: Limits = Limits {
    kind: "envelopes and tags",
    overall: 14.0,
    states: &[
        (State::Prose, 10.5),
        (State::Section, 8.0),
        (State::Call, 10.0),
        (State::Value, 14.0),
    ],
    ..HEADERS
};

const HEADER_DIALECTS: [Dialect; 5] = [
    Dialect::KIMI_K2,
    Dialect::DEEPSEEK_V3,
    Dialect::DEEPSEEK_V31,
    Dialect::SOLAR_OPEN,
    Dialect::PLAMO3,
];

/// The same; in a section, too, a call is confirmed, of a known name or of any.
const KEYED: Limits = Limits {
    kind: "keyed calls in a section",
    states: &[(State::Prose, 10.5), (State::Section, 3.0), (State::Call, 6.0), (State::Value, 6.5)],
    ..TAGS
};

fn limits(dialect: &Dialect) -> &'static Limits {
    match dialect {
        _ if [Dialect::HUNYUAN, Dialect::K2_HORIZON].contains(dialect) => &KEYED,
        _ if HEADER_DIALECTS.contains(dialect) => &HEADERS,
        _ if *dialect == Dialect::MISTRAL => &NAMES,
        _ if *dialect == Dialect::HARMONY => &ENVELOPES,
        _ if *dialect == Dialect::BEAM => &MESSAGES,
        _ if *dialect == Dialect::REACT => &LINES,
        _ if *dialect == Dialect::CODE_ASSISTANT_CARET => &TAGS_AND_LINES,
        _ if *dialect == Dialect::TOOL_CALL => &EITHER,
        _ if ["llama3-json", "functionary", "bare-json", "wrapped-json"]
            .contains(&dialect.name()) =>
        {
            &STARTS
        }
        _ if ["gemma4", "pythonic", "lfm2", "olmo3", "functiongemma"].contains(&dialect.name()) => {
            &LITERALS
        }
        _ if inputs::speaks_json(dialect) => &JSON,
        _ => &TAGS,
    }
}

#[test]
fn ordinary_text() {
    for dialect in Dialect::ALL {
        let session = inputs::session(dialect);
        let write = |value: String| inputs::write(dialect, &value);
        let mut most = Most::new(dialect);
        most.take("prose", inputs::prose);
        most.take("code", inputs::code);
        most.take("prose in a value", |len| write(inputs::prose(len)));
        most.take("code in a value", |len| write(inputs::code(len)));
        most.take("calls", |len| session.repeat(len.div_ceil(session.len())));
        most.below("ordinary", limits(dialect).ordinary, most.overall);
        most.check();
    }
}

#[test]
#[ignore = "slow: .ci/run runs it"]
fn hostile_text() {
    for dialect in Dialect::ALL {
        let mut most = Most::new(dialect);
        for hostile in inputs::hostile(dialect) {
            most.take(hostile.name, |len| hostile.text(len));
        }
        if *dialect == Dialect::TOOL_CALL {
            // It writes objects, and reads functions and keys, too.
            let others = [Dialect::QWEN3_CODER, Dialect::GLM];
            for hostile in others.iter().flat_map(inputs::hostile) {
                most.take(hostile.name, |len| hostile.text(len));
            }
        }
        most.check();
    }
}

/// Arguments that wait for the name of their call: nothing else is held so long.
#[test]
fn early_arguments() {
    let text = |len| "<tool_call>{\"arguments\": {\"a\": \"".to_string() + &"x".repeat(len);
    for dialect in [Dialect::HERMES, Dialect::TOOL_CALL] {
        let mut most = Most::new(&dialect);
        most.take("early arguments", text);
        most.check();
    }
}

/// Objects that are no calls: each is tried, and read once more as text, up to its end.
#[test]
fn objects_that_are_text() {
    let mut most = Most::new(&Dialect::BARE_JSON);
    most.take("objects", |len| "{\"a\": [1]}\n".repeat(len / 11));
    most.check();
}

/// The most that one dialect examined for each byte, each with the text that it was.
struct Most {
    dialect: Dialect,
    overall: Seen,
    states: [Option<(State, Seen)>; STATES],
}

type Seen = (f64, &'static str);

const STATES: usize = State::Rest as usize + 1;

impl Most {
    fn new(dialect: &Dialect) -> Most {
        // A host's own table is read by rules.
        let dialect = Dialect::new(dialect.spec().clone());
        Most { dialect, overall: (0.0, ""), states: [None; STATES] }
    }

    /// Reads `text`, and twice as much of it, in chunks of each size.
    fn take(&mut self, name: &'static str, text: impl Fn(usize) -> String) {
        let parser = inputs::parser(&self.dialect);
        let (once, twice) = (text(LEN), text(2 * LEN));
        // What begins like a known marker is compared with it first, which is work, too: they are known before.
        _ = read(parser.tables(), &twice, usize::MAX);
        for size in CHUNKS.into_iter().step_by(inputs::every()) {
            let [few, many] = [&once, &twice].map(|text| read(parser.tables(), text, size));
            let growth = many.examined as f64 / few.examined as f64;
            let what = format!("{:?}, {name} in chunks of {size}", self.dialect);
            // Which headers a chunk cuts differs, and one that is cut is read from its first byte.
            let most = DOUBLE * few.examined as f64 + bounds::HEADER as f64;
            let fits = many.examined as f64 <= most;
            assert!(fits, "{what}: {growth:.2} times the work for twice the text");
            let each = many.examined as f64 / twice.len() as f64;
            self.overall = greater(self.overall, (each, name));
            if size == 1 {
                self.take_states(name, &many);
            }
        }
    }

    fn take_states(&mut self, name: &'static str, work: &Work) {
        for (most, seen) in self.states.iter_mut().zip(&work.states) {
            if let Some(InState { state, bytes, examined }) = seen {
                let seen = (*examined as f64 / *bytes as f64, name);
                *most = Some((*state, most.map_or(seen, |(_, most)| greater(most, seen))));
            }
        }
    }

    fn check(&self) {
        let limits = limits(&self.dialect);
        self.below("overall", limits.overall, self.overall);
        for &(state, seen) in self.states.iter().flatten() {
            let limit = limits.states.iter().find(|(limited, _)| *limited == state);
            let limit = limit.map_or(0.0, |(_, limit)| *limit);
            self.below(&format!("{state:?}"), limit, seen);
        }
    }

    fn below(&self, state: &str, limit: f64, (each, text): Seen) {
        let name = self.dialect.name();
        println!("{name:15}{state:10}{each:6.2} of {limit:4}  {text}");
        let kind = limits(&self.dialect).kind;
        assert!(
            each <= limit,
            "{name} ({kind}), {state}: {each:.2} bytes examined for each byte of {text}, \
             where at most {limit} are allowed"
        );
    }
}

fn greater(one: Seen, other: Seen) -> Seen {
    if other.0 > one.0 { other } else { one }
}

/// The work on one text.
#[derive(Default)]
struct Work {
    examined: usize,
    states: [Option<InState>; STATES],
}

/// What came in a state, and what was examined for it.
#[derive(Clone, Copy)]
struct InState {
    state: State,
    bytes: usize,
    examined: usize,
}

fn read(tables: &Tables, text: &str, size: usize) -> Work {
    let (mut machine, mut limit) = (Machine::new(tables), LimitState::default());
    let mut out = Limit { state: &mut limit, tables, on_text: false, sink: |_: Event<&str>| {} };
    let mut states = [None; STATES];
    for chunk in inputs::pieces(text, size) {
        let (state, before) = (machine.state, machine.examined);
        machine.feed(tables, chunk, &mut out);
        let seen = &mut states[state as usize];
        let seen = seen.get_or_insert(InState { state, bytes: 0, examined: 0 });
        seen.bytes += chunk.len();
        seen.examined += machine.examined - before;
    }
    machine.finish(tables, false, &mut out);
    Work { examined: machine.examined, states }
}
