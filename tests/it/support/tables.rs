//! The vectors as samples, soup of them, and a comparison of two dialects at every prefix of a text, ended by the model or cut.

use serde_json::{Value, json};
use toolstream::check::{self, Ended};

use toolstream::{
    CallsInReasoning, Dialect, Event, Fences, Options, Parser, Recoveries, Start, Tool,
};

use super::soup::{self, Choices};

/// A text with its tools and options.
pub struct Sample {
    pub text: String,
    pub tools: Vec<Tool>,
    pub options: Options,
}

impl Sample {
    pub fn parser(&self, dialect: &Dialect) -> Parser {
        let builder = Parser::builder(dialect).tools(self.tools.clone());
        builder.options(self.options.clone()).build().expect("a table that can be read")
    }
}

/// The vectors of a dialect.
pub fn vectors(name: &str) -> Vec<Sample> {
    let path = format!("{}/tests/vectors/{name}.jsonl", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path}: {error}"));
    text.lines().filter_map(sample).collect()
}

fn sample(line: &str) -> Option<Sample> {
    let vector: Value = serde_json::from_str(line).expect("a vector");
    let text = vector["input"].as_str()?.to_string();
    let tools = Tool::list_from_json(vector.get("tools").unwrap_or(&json!([]))).ok()?;
    let mut config = vector.get("config").cloned().unwrap_or(json!({}));
    config.as_object_mut()?.remove("ended");
    Some(Sample { text, tools, options: Options::from_json(&config).ok()? })
}

/// Cuts vectors at brackets, quotes and line ends, and joins them with parts left out.
pub fn soup(vectors: &[Sample], seed: u64) -> Sample {
    let data = soup::seeded(seed, 200);
    let mut choices = Choices::new(&data);
    let pick = |choices: &mut Choices<'_>| {
        &vectors[(choices.below(256) << 8 | choices.below(256)) % vectors.len()]
    };
    let first = pick(&mut choices);
    let mut options = first.options.clone();
    options.tool_limit = choices.of(&[None, None, Some(1)]);
    // Some samples get other options than their vector.
    if choices.one_in(4) {
        options.start = choices.of(&[Start::Text, Start::Reasoning]);
        let of = [CallsInReasoning::Extract, CallsInReasoning::Ignore];
        options.calls_in_reasoning = choices.of(&[None, Some(of[0]), Some(of[1])]);
        options.fences = choices.of(&[Fences::Parse, Fences::Quote]);
        options.recoveries = choices.of(&[Recoveries::Lenient, Recoveries::Strict]);
    }
    let mut text = String::new();
    for part in 0..=choices.below(3) {
        let from = if part == 0 { first } else { pick(&mut choices) };
        for piece in from.text.split_inclusive(['<', '>', '{', '}', '[', '|', '"', '`', '\n']) {
            if !choices.one_in(9) && text.len() < 400 {
                text.push_str(piece);
            }
        }
    }
    Sample { text, tools: first.tools.clone(), options }
}

/// Returns the first difference of two dialects: the prefix, its end, and the events that differ.
pub fn differ(one: &Dialect, other: &Dialect, sample: &Sample) -> Option<String> {
    let _shown = Shown(&sample.text);
    let mut readers = [one, other].map(|dialect| Reader::new(sample.parser(dialect)));
    let ends = sample.text.char_indices().map(|(at, c)| (at, at + c.len_utf8()));
    for (from, to) in std::iter::once((0, 0)).chain(ends) {
        for ended in [Ended::Stop, Ended::Cut] {
            let [first, second] = [0, 1].map(|which| {
                let reader: &mut Reader = &mut readers[which];
                if ended == Ended::Stop {
                    reader.feed(&sample.text[from..to]);
                }
                reader.ended(ended)
            });
            if first != second {
                let at = first.iter().zip(&second).take_while(|(a, b)| a == b).count();
                let (first, second) = (first.get(at), second.get(at));
                let text = &sample.text[..to];
                return Some(format!("{text:?} ({ended:?}):\n  {first:?}\n  {second:?}"));
            }
        }
    }
    None
}

/// Prints the text if a parser panics.
struct Shown<'a>(&'a str);

impl Drop for Shown<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            eprintln!("the text was {:?}", self.0);
        }
    }
}

/// A parser, and its events so far.
struct Reader {
    parser: Parser,
    events: Vec<Event<String>>,
}

impl Reader {
    fn new(parser: Parser) -> Reader {
        Reader { parser, events: Vec::new() }
    }

    fn feed(&mut self, chunk: &str) {
        let mut events = std::mem::take(&mut self.events);
        self.parser.feed_into(chunk, &mut |event: Event<&str>| {
            events.push(event.map(String::from));
        });
        self.events = check::join(events);
    }

    /// Returns all events, if the stream ends here.
    fn ended(&self, ended: Ended) -> Vec<Event<String>> {
        let mut parser = self.parser.clone();
        let mut events = self.events.clone();
        let mut take = |event: Event<&str>| events.push(event.map(String::from));
        match ended {
            Ended::Stop => parser.finish_into(&mut take),
            Ended::Cut => parser.finish_cut_into(&mut take),
        }
        check::join(events)
    }
}
