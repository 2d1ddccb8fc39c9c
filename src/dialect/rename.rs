//! Relatives of a dialect, with other texts: [`Dialect::renamed`].

use std::borrow::Cow;
use std::cell::Cell;
use std::sync::Arc;

use super::Dialect;
use super::facts::Facts;
use super::template::{
    ArgumentsForm, CallForm, Limits, ParamForm, PromptForm, ResultForm, StopForm, Template, hole,
};
use crate::dialect::Text;
use crate::dialect::literals::Literals;
use crate::error::{BuildError, BuildProblem};
use crate::read::machine::Grammar;

impl Dialect {
    /// Returns this dialect with other texts, under a name of its own. Each pair is a text and its replacement. A text is
    /// replaced everywhere: in markers, keywords and stop tokens, and in the written form of calls, results and stop
    /// sequences (but not in the names of holes). The pairs are applied in their order; without pairs only the name
    /// changes. Of joined dialects, only the first is renamed.
    ///
    /// Names of parameters and types are replaced where they equal the text, not where they contain it. The sentences of
    /// the prompt stay, unless the text is a keyword or cannot be words of a sentence: `seed` renames `<seed:think>`, not
    /// the word. The keys of the JSON objects that a model writes are not texts of a dialect.
    ///
    /// Built-in dialects that are others with other texts, and few other differences:
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
    /// [`BuildError`] for a text that is nowhere in the dialect, or that is a fixed part of its kind of grammar: `<function=`
    /// of `qwen3-coder`, say.
    ///
    /// ```
    /// use toolstream::{Dialect, Parser, Tool};
    ///
    /// let renames = [("tool_call>", "my_call>"), ("<|im_end|>", "<|my_end|>")];
    /// let mine = Dialect::HERMES.renamed("mine", &renames)?;
    ///
    /// let parser = Parser::builder(&mine).tool(Tool::new("list")).build()?;
    /// let message = parser.parse("<my_call>{\"name\": \"list\"}</my_call><|my_end|>");
    /// assert_eq!(message.calls().count(), 1);
    /// assert_eq!(mine.stop_sequences(), ["</my_call>", "<tool_response>"]);
    ///
    /// let error = Dialect::HERMES.renamed("mine", &[("tool_cal>", "my_call>")]).unwrap_err();
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
    ) -> Result<Dialect, BuildError> {
        let name = name.into();
        let mut facts = Facts { name: name.clone(), ..self.facts().clone() };
        facts.template = self.template().clone();
        let mut renamed: Option<Grammar> = None;
        for (number, (from, to)) in renames.iter().enumerate() {
            let refused = |problem: String| {
                let (dialect, place) = (name.to_string(), format!("renames[{number}]"));
                BuildError::from(BuildProblem::Spec { dialect, place, problem })
            };
            let grammar = renamed.as_ref().unwrap_or_else(|| self.first.grammar());
            if !from.is_empty() && grammar.owns(from) {
                let base = self.name();
                return Err(refused(format!(
                    "`{from}` is a fixed part of the grammar of `{base}`"
                )));
            }
            let (found, emptied) = (Cell::new(false), Cell::new(false));
            let next = grammar.renamed(
                &mut |text| {
                    found.set(replace_box(text, from, to) | found.get());
                    emptied.set(emptied.get() | (found.get() && text.is_empty() && to.is_empty()));
                },
                &mut |name| {
                    if **name == **from {
                        found.set(replace_box(name, from, to));
                    }
                },
            );
            if emptied.get() {
                return Err(refused(format!(
                    "`{from}` is all of a marker, and nothing would be left of it"
                )));
            }
            let keyword = grammar.family.keywords().contains(from);
            let found = facts.rename(from, to, keyword) || found.get();
            match next {
                Some(next) if found => renamed = Some(next),
                None if found => {
                    let base = self.name();
                    return Err(refused(format!("`{base}` has no texts that can be replaced")));
                }
                _ => return Err(refused(format!("`{}` holds no `{from}`", self.name()))),
            }
        }
        let origin = format!("{:?} {renames:?}", self.first);
        let grammar = renamed.map_or_else(|| self.first.grammar().clone(), Arc::new);
        Ok(Dialect::of_host(facts, grammar, origin))
    }
}

impl Facts {
    /// Whether there was something to rename.
    fn rename(&mut self, from: &str, to: &str, keyword: bool) -> bool {
        let english = !keyword && is_english(from);
        let mut found = false;
        if let Some(Literals { quote, .. }) = &mut self.literals {
            found |= replace(quote, from, to);
        }
        for text in self.nests.iter_mut().flatten().chain(self.no_input.iter_mut().flatten()) {
            found |= replace(text, from, to);
        }
        for name in self.diff_params.iter_mut().chain([&mut self.input]) {
            found |= *name == from && replace(name, from, to);
        }
        self.template.templates(|text| found |= replace_in_template(text, from, to));
        found |= replace_in_template(&mut self.id, from, to);
        if !english {
            replace(&mut self.about, from, to);
            self.template.sentences(|text| found |= replace_in_template(text, from, to));
        }
        found
    }
}

/// Whether a text may be a word of a sentence.
fn is_english(text: &str) -> bool {
    let word = |word: &str| {
        let rest = word.strip_prefix(|first: char| first.is_ascii_alphabetic());
        rest.is_some_and(|rest| rest.chars().all(|next| next.is_ascii_lowercase()))
    };
    text.split(' ').all(word)
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
            ArgumentsForm::Params(ParamForm {
                open, close, between, line, quotes, items, ..
            }) => {
                [open, close, between, items]
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

    /// The sentences of the prompt.
    fn sentences(&mut self, each: impl FnMut(&mut Text)) {
        let PromptForm { text, tool, between, example, placeholders: _, limits } = &mut self.prompt;
        let Limits { one, some, any } = limits;
        [text, tool, between, example, one, some, any].into_iter().for_each(each);
    }
}

fn replace_box(text: &mut Box<str>, from: &str, to: &str) -> bool {
    let found = !from.is_empty() && text.contains(from);
    if found {
        *text = text.replace(from, to).into();
    }
    found
}

/// Whether there was something to replace.
fn replace(text: &mut Text, from: &str, to: &str) -> bool {
    let found = !from.is_empty() && text.contains(from);
    if found {
        *text = text.replace(from, to).into();
    }
    found
}

/// Replaces a text in a template, but not in the names of its holes.
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
