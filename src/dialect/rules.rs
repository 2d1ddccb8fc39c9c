//! The rules of a table in words: for reading, where its JSON is for changing.

use super::chars::Chars;
use super::dead;
use super::spec::{DialectSpec, Name, Of, Piece, Run};

/// A rule of a table in words ([`DialectSpec::rules`]).
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct RuleText {
    /// The state in which it counts, as its list and the place in that: `prose[0]`.
    pub state: String,
    /// What it is for: `closer of a section`.
    pub role: String,
    /// Its marker. What may stand there and may not is left out, `NAME`, `KEY`, `ID` and `TYPE` stand for names, `…`
    /// for anything, `|` is between texts of which one is there, and `⏎` is a line break.
    pub mark: String,
    /// What must follow for it to count, one of these; if there is none, it counts by itself.
    pub follow: Vec<String>,
}

impl DialectSpec {
    /// The rules in words, state after state, in the order in which they are tried: what a shape made, say.
    /// [`DialectSpec::to_json`] has all of them.
    ///
    /// ```
    /// use toolstream::DialectSpec;
    ///
    /// let spec = DialectSpec::from_json(r#"{"name": "mine", "call": "<use>{name} {arguments}</use>"}"#)?;
    /// let rules = spec.rules();
    /// let opener = rules.iter().find(|rule| rule.role == "opener of a call").unwrap();
    /// assert_eq!((&*opener.state, &*opener.mark), ("prose[0]", "<use> NAME"));
    /// # Ok::<(), toolstream::JsonError>(())
    /// ```
    pub fn rules(&self) -> Vec<RuleText> {
        let mut all = Vec::new();
        for (state, kind, rules) in dead::kinds(self) {
            all.extend(rules.iter().map(|rule| RuleText {
                state: format!("{}[{kind}]", state.list()),
                role: self.role(state, rule),
                mark: self.in_words(&rule.mark),
                follow: rule.follow.iter().map(|follow| self.in_words(follow)).collect(),
            }));
        }
        all
    }

    /// All of a marker; one without a text counts wherever it is asked for.
    fn in_words(&self, pieces: &[Piece]) -> String {
        let words: Vec<String> = pieces.iter().map(|piece| self.piece_in_words(piece)).collect();
        let words: Vec<&str> =
            words.iter().map(|word| &**word).filter(|word| !word.is_empty()).collect();
        match words.is_empty() {
            true => "anything".into(),
            false => words.join(" ").replace('\n', "⏎").replace('\r', "␍"),
        }
    }

    fn piece_in_words(&self, piece: &Piece) -> String {
        match piece {
            Piece::Lit(text) => text.to_string(),
            Piece::Near(text) => format!("~{text}"),
            Piece::Any(texts) => texts.join("|"),
            Piece::Run(Run { min: 0, .. }) => String::new(),
            Piece::Run(Run { chars, .. }) => if *chars == Chars::WHITE { " " } else { "…" }.into(),
            Piece::Until { to, .. } => format!("…{to}"),
            Piece::Name(Name { of, prefix, .. }) => format!("{prefix}{}", capitals(*of)),
            Piece::Keyword(number) => {
                let words = self.keywords.get(usize::from(*number)).map(|keyword| &*keyword.words);
                let first = words.and_then(|words| words.first());
                format!("{}:", first.map_or("", |word| word))
            }
            Piece::ToolLine(_) => " NAME".into(),
            Piece::Ref(_)
            | Piece::At(_)
            | Piece::NotNext(_)
            | Piece::Tool(_)
            | Piece::Object(_) => String::new(),
        }
    }
}

/// What stands for a name.
fn capitals(of: Of) -> &'static str {
    match of {
        Of::Tool | Of::ToolId => "NAME",
        Of::Param => "KEY",
        Of::Id => "ID",
        Of::Hint => "TYPE",
        Of::Element => "…",
    }
}
