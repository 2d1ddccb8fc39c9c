//! A relative of a dialect, which differs by its literals alone: [`DialectSpec::renamed`].

use std::borrow::Cow;
use std::sync::Arc;

use super::Dialect;
use super::spec::{DialectSpec, Gives, Lines, OwnGrammar, Piece, Text};
use super::template::{
    ArgumentsForm, CallForm, Limits, ParamForm, PromptForm, ResultForm, StopForm, Template, hole,
};
use crate::error::{BuildError, BuildProblem};
use crate::read::machine::Grammar;

impl DialectSpec {
    /// The same table with other texts, under a name of its own. Each pair is a text and what replaces it,
    /// wherever it stands: in markers and what follows them, in keywords and the words of `lines`, in stop
    /// tokens, and in the written form of calls, results and stop sequences (but not in the names of
    /// holes). The pairs are applied in their order; without any it is the same table with another name.
    ///
    /// Names of parameters and types (`raw_params`, `diff_params`, `input`, `hints`) are replaced where they
    /// are the text, not where they contain it. The sentences of the prompt stay, unless the text is a
    /// keyword or cannot be words of a sentence: `function` renames `<function=…>`, not the word. The keys
    /// of the JSON objects that a model writes are no texts of a table.
    ///
    /// Built-in dialects that are others with other texts, and little else:
    ///
    /// | dialect | of | its markers |
    /// |---|---|---|
    /// | `seed-oss` | `qwen3-coder` | `<seed:tool_call>` `<seed:think>`; values verbatim |
    /// | `longcat` | `tool-call` | `<longcat_tool_call>` `<longcat_arg_key>` `<longcat_arg_value>` `<longcat_think>` |
    /// | `iquest-q1` | `glm` | `<iquest_tool_call>` |
    /// | `solar-open2` | `glm` | `<\|tool_call:start\|>` `<\|tool_arg:start\|>` `<\|tool_arg:value\|>` `<\|think:start\|>` |
    /// | `gigachat35` | `deepseek-dsml` | `GCML` for `DSML` |
    /// | `dots` | `invoke` | the section `<dots_function_call>` |
    /// | `functiongemma` | `gemma4` | `<start_function_call>` `<escape>`; every value in quotes |
    /// | `apriel` | `json-array` | `<tool_calls>`; `[BEGIN FINAL RESPONSE]` ends the reasoning |
    ///
    /// # Errors
    /// [`BuildError`] for a text that is nowhere in the table. Whether the new table can be read
    /// is checked when a parser is built, as for every table.
    ///
    /// ```
    /// use toolstream::{Dialect, Parser, Tool};
    ///
    /// let renames = [("tool_call>", "my_call>"), ("<|im_end|>", "<|my_end|>")];
    /// let spec = Dialect::HERMES.spec().renamed("mine", &renames)?;
    /// let mine = Dialect::new(spec);
    ///
    /// let parser = Parser::builder(&mine).tool(Tool::new("list")).build()?;
    /// let message = parser.parse("<my_call>{\"name\": \"list\"}</my_call><|my_end|>");
    /// assert_eq!(message.calls().count(), 1);
    /// assert_eq!(mine.stop_sequences(), ["</my_call>", "<tool_response>"]);
    ///
    /// let error = Dialect::HERMES.spec().renamed("mine", &[("tool_cal>", "my_call>")]).unwrap_err();
    /// assert_eq!(
    ///     error.to_string(),
    ///     "the dialect `mine` has a mistake at `renames[0]`: `hermes` holds no `tool_cal>`"
    /// );
    /// # Ok::<(), toolstream::BuildError>(())
    /// ```
    pub fn renamed(
        &self,
        name: impl Into<Cow<'static, str>>,
        renames: &[(&str, &str)],
    ) -> Result<DialectSpec, BuildError> {
        self.renamed_with(name, renames, self.reads())
    }

    /// The table, and the grammar that readers read, with other texts.
    fn renamed_with(
        &self,
        name: impl Into<Cow<'static, str>>,
        renames: &[(&str, &str)],
        mut grammar: Option<Arc<Grammar>>,
    ) -> Result<DialectSpec, BuildError> {
        let mut spec = DialectSpec { name: name.into(), ..self.clone() };
        for (number, (from, to)) in renames.iter().enumerate() {
            grammar = grammar.and_then(|grammar| spec.renamed_grammar(&grammar, from, to));
            if !spec.rename(from, to) {
                let dialect = spec.name.to_string();
                let (place, base) = (format!("renames[{number}]"), &self.name);
                let what = format!("`{base}` holds no `{from}`");
                return Err(BuildProblem::Spec { dialect, place, what }.into());
            }
        }
        Ok(DialectSpec { grammar: OwnGrammar(grammar), ..spec })
    }

    /// The grammar of the table, if readers read it.
    fn reads(&self) -> Option<Arc<Grammar>> {
        if let Some(own) = &self.grammar.0 {
            return Some(own.clone());
        }
        let built_in = Dialect::ALL.iter().find(|dialect| dialect.name() == self.name)?;
        built_in.grammars()?.pop().filter(|_| built_in.spec() == self)
    }

    /// The grammar with this text in place of that one. `None`: it stands in a text that is the family's own.
    fn renamed_grammar(&mut self, grammar: &Grammar, from: &str, to: &str) -> Option<Arc<Grammar>> {
        if from.is_empty() {
            return None;
        }
        let mut texts: Vec<Box<str>> = Vec::new();
        grammar.renamed(&mut |text| texts.push(text.clone()), &mut |_| ())?;
        texts.retain(|text| text.contains(from));
        let mut is_own = false;
        self.literals(|text| {
            let known = |of: &str| of.contains(&**text) || text.contains(of);
            is_own |= text.contains(from) && !texts.iter().any(|of| known(of));
        });
        let mut rename = |text: &mut Box<str>| *text = text.replace(from, to).into();
        let mut name = |text: &mut Box<str>| {
            if **text == *from {
                *text = to.into();
            }
        };
        let grammar = grammar.renamed(&mut rename, &mut name).filter(|_| !is_own);
        grammar.map(Arc::new)
    }

    /// The table of a built-in dialect, whose texts are there: its vectors would show it. Its grammar is data of its own.
    pub(super) fn relative(self, name: &'static str, renames: &[(&str, &str)]) -> DialectSpec {
        let renamed = self.renamed_with(name, renames, None);
        debug_assert!(renamed.is_ok(), "{renamed:?}");
        renamed.unwrap_or(self)
    }

    /// Whether there was something to rename.
    fn rename(&mut self, from: &str, to: &str) -> bool {
        if from.is_empty() {
            return false;
        }
        let english = self.is_english(from);
        let mut found = false;
        self.literals(|text| found |= replace(text, from, to));
        for name in self.names().filter(|name| **name == from) {
            found |= replace(name, from, to);
        }
        self.template.templates(|text| found |= replace_in_template(text, from, to));
        found |= replace_in_template(&mut self.id, from, to);
        if !english {
            replace(&mut self.about, from, to);
            self.template.sentences(|text| found |= replace_in_template(text, from, to));
        }
        found
    }

    /// Whether a text may be a word of a sentence.
    fn is_english(&self, text: &str) -> bool {
        let keyword = self.keywords.iter().any(|keyword| keyword.words.iter().any(|of| of == text));
        let word = |word: &str| {
            let rest = word.strip_prefix(|first: char| first.is_ascii_alphabetic());
            rest.is_some_and(|rest| rest.chars().all(|next| next.is_ascii_lowercase()))
        };
        !keyword && text.split(' ').all(word)
    }

    /// Every text that the table itself is written with.
    pub(crate) fn literals(&mut self, mut each: impl FnMut(&mut Text)) {
        for rule in self.rules_mut() {
            let patterns = std::iter::once(&mut rule.mark).chain(&mut rule.follow);
            patterns.flatten().for_each(|piece| match piece {
                Piece::Lit(text) | Piece::Near(text) => each(text),
                Piece::Any(texts) => texts.iter_mut().for_each(&mut each),
                Piece::Until { to, unless, words, .. } => {
                    std::iter::once(to).chain(unless).chain(words).for_each(&mut each);
                }
                Piece::Name(name) => {
                    std::iter::once(&mut name.prefix).chain(&mut name.not).for_each(&mut each);
                }
                Piece::Run(_)
                | Piece::Ref(_)
                | Piece::At(_)
                | Piece::NotNext(_)
                | Piece::Tool(_)
                | Piece::Object(_)
                | Piece::Keyword(_)
                | Piece::ToolLine(_) => {}
            });
        }
        let literals = self.bodies.iter_mut().filter_map(|body| match &mut body.gives {
            Gives::Params(literals) | Gives::NoParams(literals) => Some(&mut literals.quote),
            _ => None,
        });
        literals.filter(|quote| !quote.is_empty()).for_each(&mut each);
        self.keywords.iter_mut().flat_map(|keyword| &mut keyword.words).for_each(&mut each);
        let Lines { no_call, no_call_phrases, no_input, ends_block } = &mut self.lines;
        let lines = [no_call, no_call_phrases, no_input, ends_block];
        lines.into_iter().flatten().for_each(&mut each);
        self.nests.iter_mut().flat_map(|(open, close)| [open, close]).for_each(&mut each);
        self.boundary.iter_mut().for_each(each);
    }

    /// The names of parameters and types that it knows.
    fn names(&mut self) -> impl Iterator<Item = &mut Text> {
        let DialectSpec { raw_params, diff_params, hints, input, .. } = self;
        let hints = hints.iter_mut().map(|(name, _)| name);
        raw_params.iter_mut().chain(diff_params).chain(hints).chain([&mut input.0])
    }
}

impl Template {
    /// The templates of calls, results and stop sequences.
    pub(crate) fn templates(&mut self, mut each: impl FnMut(&mut Text)) {
        let Template { call, result, stop, .. } = self;
        let CallForm { section_open, open, arguments, close, between, section_close, after_text } =
            call;
        let texts = [section_open, open, close, between, section_close, after_text];
        texts.into_iter().for_each(&mut each);
        match arguments {
            ArgumentsForm::Json => {}
            ArgumentsForm::Params(ParamForm { open, close, line, quotes, items, .. }) => {
                [open, close, items]
                    .into_iter()
                    .chain(line.iter_mut().flatten())
                    .for_each(&mut each);
                quotes.iter_mut().flat_map(|(open, close)| [open, close]).for_each(&mut each);
            }
            ArgumentsForm::Literals(literals) => {
                [&mut literals.quote, &mut literals.plain_quote].into_iter().for_each(&mut each);
            }
        }
        let ResultForm { open, ok, error, between, close } = result;
        [open, ok, error, between, close].into_iter().for_each(&mut each);
        let StopForm { after_call, invented } = stop;
        [after_call, invented].into_iter().flat_map(Cow::to_mut).for_each(each);
    }

    /// Those of the prompt.
    fn sentences(&mut self, each: impl FnMut(&mut Text)) {
        let PromptForm { text, tool, between, example, placeholders: _, limits } = &mut self.prompt;
        let Limits { one, some, any } = limits;
        [text, tool, between, example, one, some, any].into_iter().for_each(each);
    }
}

/// Whether there was something to replace.
fn replace(text: &mut Text, from: &str, to: &str) -> bool {
    let found = text.contains(from);
    if found {
        *text = text.replace(from, to).into();
    }
    found
}

/// The same in a template: the names of its holes stay.
fn replace_in_template(template: &mut Text, from: &str, to: &str) -> bool {
    let (mut found, mut replaced) = (false, String::new());
    let mut rest = &**template;
    while !rest.is_empty() {
        let hole = hole(rest);
        let (before, after) = rest.split_at(hole.start);
        let mut text = before.to_string().into();
        found |= replace(&mut text, from, to);
        replaced += &*text;
        replaced += &after[..hole.len()];
        rest = &after[hole.len()..];
    }
    if found {
        *template = replaced.into();
    }
    found
}
