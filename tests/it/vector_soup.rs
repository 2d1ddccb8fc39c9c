//! The laws hold over soup made of the vectors: their inputs, cut at tags and lines and joined at random. `SOUP_ROUNDS` texts of
//! every dialect are read (default 20).

use toolstream::check::{self, Ended};
use toolstream::{Dialect, Parser, Tool, options::Start};

use crate::support::soup::{self, Choices};

/// The pieces of all inputs, and the tools of the first vector.
fn pieces(name: &str) -> (Vec<String>, Vec<Tool>) {
    let path = format!("{}/tests/vectors/{name}.jsonl", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(&path).expect("a vector file");
    let (mut pieces, mut tools) = (Vec::new(), Vec::new());
    for line in text.lines() {
        let vector: serde_json::Value = serde_json::from_str(line).expect("a vector");
        if tools.is_empty() {
            tools = Tool::list_from_json(&vector["tools"]).expect("tools");
        }
        let input = vector["input"].as_str().expect("an input");
        pieces.extend(input.split_inclusive(['>', '\n']).flat_map(|part| {
            let tag = part.find('<').unwrap_or_default();
            [part[..tag].to_string(), part[tag..].to_string()]
        }));
        // The whole input is a piece, too.
        pieces.push(input.to_string());
    }
    pieces.retain(|piece| !piece.is_empty());
    pieces.sort();
    pieces.dedup();
    (pieces, tools)
}

#[test]
fn laws_hold() {
    let rounds: u64 = std::env::var("SOUP_ROUNDS").map_or(20, |n| n.parse().expect("a number"));
    for dialect in Dialect::ALL {
        let name = dialect.name();
        let (pieces, tools) = pieces(name);
        for seed in 0..rounds {
            let data = soup::seeded(seed, 60);
            let mut choices = Choices::new(&data);
            let builder = Parser::builder(dialect).tools(tools.clone());
            let limit = choices.of(&[None, Some(1), Some(2)]);
            let start = choices.of(&[Start::Text, Start::Text, Start::Reasoning]);
            let parser = builder.tool_limit(limit).start(start).build().expect("good tools");
            let ended = choices.of(&[Ended::Stop, Ended::Cut]);
            let mut text = String::new();
            while choices.are_left() {
                let number = choices.below(256) * 256 + choices.below(256);
                text += &pieces[number % pieces.len()];
            }
            let cuts = [vec![], (1..text.len()).collect(), (1..text.len()).step_by(7).collect()];
            if let Err(broken) = check::hold(&parser, &text, &cuts, ended) {
                panic!("{name}, seed {seed}: {broken}\n{text:?}");
            }
        }
    }
}
