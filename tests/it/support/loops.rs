//! An agent's loop over any sequence of turns. A loop that is stored and restored after each step does the same as a loop that
//! never was.

use serde_json::{Value, json};
use toolstream::policy::{CallId, Choice, Hooks, Step, ToolLoop};
use toolstream::{Dialect, Parser};

use super::soup::{self, Choices};
use super::{inputs, markers};

const CONFIGS: [&str; 4] = [
    "{}",
    r#"{"text_ends": "after_tool"}"#,
    r#"{"max_iterations": 2}"#,
    r#"{"text_ends": "after_tool", "max_iterations": 3}"#,
];

/// An event of a turn.
#[derive(Clone, Debug)]
enum Happens {
    User(String),
    Answer { text: String, chunk: usize, cut: bool },
    Results { failed: bool },
    Late,
    Retry,
    Choose(usize),
    Model,
}

pub fn policy(data: &[u8]) {
    let mut choices = Choices::new(data);
    let (dialect, pieces) = &markers::all()[choices.below(Dialect::ALL.len())];
    let config: Value = serde_json::from_str(choices.of(&CONFIGS)).expect("JSON");
    let limit = choices.of(&[None, Some(1), Some(2)]);
    let parser = Parser::builder(dialect).tools(soup::tools()).tool_limit(limit).build();
    let parser = parser.expect("the soup's tools are well named");
    let new = || {
        let agent = ToolLoop::from_json(parser.clone(), &config).expect("a configuration");
        agent.with_hooks(|_| Hooks::default())
    };
    let (mut agent, mut stored) = (new(), new());
    let mut happened = Vec::new();
    while choices.are_left() && happened.len() < 12 {
        let next = happens(&mut choices, dialect, pieces);
        happened.push(next.clone());
        take(&mut agent, &next);
        take(&mut stored, &next);
        let snapshot = stored.snapshot();
        let mut again = new();
        again.restore(&snapshot).unwrap_or_else(|error| panic!("{error}, after {happened:#?}"));
        assert_eq!(again.snapshot(), snapshot, "after {happened:#?}");
        stored = again;
        assert_eq!(stored.step(), agent.step(), "{dialect}, after {happened:#?}");
        assert_eq!(stored.request(), agent.request(), "{dialect}, after {happened:#?}");
        assert_eq!(stored.outcomes(), agent.outcomes(), "{dialect}, after {happened:#?}");
    }
}

fn happens(choices: &mut Choices<'_>, dialect: &Dialect, pieces: &[String]) -> Happens {
    match choices.below(12) {
        0 => Happens::User(choices.of(&["Read a.", "", "é"]).to_string()),
        1..=6 => {
            let text = match choices.below(4) {
                0 => inputs::call(dialect, "read", &[("path", choices.of(&["a", "b"]))]),
                1 => "All is well.".to_string(),
                2 => String::new(),
                _ => (0..choices.below(6)).map(|_| choices.of(pieces)).collect(),
            };
            Happens::Answer { text, chunk: choices.of(&[1, 3, 4096]), cut: choices.one_in(3) }
        }
        7 | 8 => Happens::Results { failed: choices.one_in(3) },
        9 => choices.of(&[Happens::Late, Happens::Model]),
        10 => Happens::Retry,
        _ => Happens::Choose(choices.below(6)),
    }
}

fn take(agent: &mut ToolLoop, happens: &Happens) {
    match happens {
        Happens::User(text) => agent.user(text.as_str()),
        Happens::Answer { text, chunk, cut } => {
            if !matches!(agent.step(), Step::CallModel { .. }) {
                return;
            }
            for piece in inputs::pieces(text, *chunk) {
                agent.reply().feed(piece).for_each(drop);
            }
            match cut {
                true => agent.reply().finish_cut().for_each(drop),
                false => agent.reply().finish().for_each(drop),
            }
        }
        Happens::Results { failed } => {
            let Step::RunTools(calls) = agent.step() else { return };
            for (id, call) in calls {
                let result = json!({"of": call.name});
                let result = if *failed { Err(result) } else { Ok(result) };
                agent.tool_result(id, result).expect("it waits for one");
            }
        }
        Happens::Late => {
            let id: CallId = serde_json::from_value(json!(0)).expect("an id");
            _ = agent.tool_result(id, "late");
        }
        Happens::Retry => agent.retry(),
        Happens::Choose(which) => {
            if let Step::AskUser(question) = agent.step() {
                let options: &[Choice] = question.options();
                if let Some(choice) = options.get(*which) {
                    agent.choice(*choice).expect("it was offered");
                }
            }
        }
        Happens::Model => agent.set_model("another"),
    }
}
