//! The written form of a shape: prompt, calls, results, stop sequences.

use std::borrow::Cow;

use super::derive::owned;
use super::notation::{Part, around, text};
use super::object::Object;
use super::{Shape, Wrong};
use crate::dialect::Text;
use crate::dialect::template::{
    ArgumentsForm, CallForm, LineBreaks, PARAM, ParamForm, PromptForm, ResultForm, StopForm,
    Template, tools_prompt,
};

/// The holes of a call. `{json_name}` is for forms that no shape reads.
const CALL_HOLES: [&str; 6] = ["name", "json_name", "name_attribute", "arguments", "id", "number"];

const JSON: PromptForm = tools_prompt!(
    "To call a tool, write its name and one JSON object with its arguments, in this form:",
    "The arguments must fit the schema, with every required one; a tool without parameters gets \
     {}. Quotes and line breaks in strings are escaped."
);

const PYTHON: PromptForm = tools_prompt!(
    "To call a tool, write it as a Python call, in this form:",
    "Every argument has its keyword, and all that the tool requires must be given; values are \
     Python literals."
);

const QUOTED: PromptForm = tools_prompt!(
    "To call a tool, write its name and its arguments in this form:",
    "Strings stand between two quote tokens as they are, without escapes; numbers, true, false, \
     null, lists and objects are written as they are, with keys without quotes. Give every \
     required argument."
);

pub(in crate::dialect) const ONE_BY_ONE: PromptForm = tools_prompt!(
    tags,
    "To call a tool, write its name and a value for each parameter that you give, in this form:",
    "Give every required parameter. Write strings as they are, without quotes and escapes; lists, \
     objects, numbers and booleans as JSON."
);

const COMMAND: PromptForm = tools_prompt!(
    tags,
    "To call a tool, write its argument in this form:",
    "The call begins a line. Write the argument as it is, without quotes and escapes."
);

const LIST: PromptForm = tools_prompt!(
    tags,
    "To call a tool, write its name and the values of its parameters, in the order of those, in this form:",
    "The call begins a line. Write strings as they are, without quotes and escapes; lists, objects, \
     numbers and booleans as JSON."
);

impl Shape {
    pub(super) fn written(&self) -> Result<Template, Wrong> {
        let arguments = self.arguments()?;
        let json = arguments == ArgumentsForm::Json;
        let prompt = self.prompt.clone().unwrap_or(match &arguments {
            ArgumentsForm::Literals(form) if form.python => PYTHON,
            ArgumentsForm::Literals(form) if !form.quote.is_empty() => QUOTED,
            ArgumentsForm::Json => JSON,
            _ if !self.separator.is_empty() => LIST,
            _ if self.is_command() => COMMAND,
            _ => ONE_BY_ONE,
        });
        let call = self.call_form(arguments)?;
        let result = self.result_form()?;
        // A stop sequence is cut off. So the closer of a call is one only where the call ends without it.
        let ends =
            json || !self.message.is_empty() || self.literals.is_some() && self.section.is_empty();
        let own = ends.then_some(&call.close);
        let close = own.into_iter().chain([&call.section_close]);
        let close = close.map(|text| text.trim().trim_start_matches([']', '}', ')']).trim());
        let close = close.filter(|text| !text.is_empty()).map(owned).next();
        let invented: Vec<Text> = self.invented().into_iter().map(owned).collect();
        let after_call: Vec<Text> = close.into_iter().collect();
        let stop = StopForm { after_call: Cow::Owned(after_call), invented: Cow::Owned(invented) };
        let stop = self.stop.clone().unwrap_or(stop);
        Ok(Template { prompt, call, result, stop })
    }

    fn arguments(&self) -> Result<ArgumentsForm, Wrong> {
        if self.is_command() {
            return Ok(ArgumentsForm::Params(ParamForm {
                between: self.separator.clone(),
                ..PARAM
            }));
        }
        if let Some(form) = &self.literals {
            return Ok(ArgumentsForm::Literals(form.clone()));
        }
        let (field, argument) = match (&*self.argument, &*self.element) {
            ("", "") => return Ok(ArgumentsForm::Json),
            ("", element) => ("element", element),
            (argument, _) => ("argument", argument),
        };
        let holes = ["key", "key_attribute", "value", "type", "whole_type", "is_string"];
        let parts = self.parts(field, argument, &holes)?;
        let [mut open, mut close] = around(&parts, "value", field)?;
        let line = |part: Option<&Part>| matches!(part, Some(Part::White(white)) if *white == "\n");
        let lines = line(open.last()) && line(close.first()) && close.len() > 1;
        if lines {
            open.pop();
            close.remove(0);
        }
        Ok(ArgumentsForm::Params(ParamForm {
            open: owned(text(&open)),
            close: owned(text(&close)),
            items: owned(if field == "element" { "item" } else { "" }),
            sorted: self.sorted,
            line_breaks: if lines { LineBreaks::Always } else { LineBreaks::AtEnds },
            ..PARAM
        }))
    }

    fn call_form(&self, arguments: ArgumentsForm) -> Result<CallForm, Wrong> {
        if self.is_command() {
            let [open, close] = self.round_value().map(owned);
            let between = if close.ends_with('\n') { "" } else { "\n" };
            let between = self.between.clone().unwrap_or_else(|| owned(between));
            return Ok(CallForm { open, arguments, close, between, ..CallForm::default() });
        }
        let object = Object::parse(&self.call);
        let parts = self.parts("call", &self.call, &CALL_HOLES)?;
        let [open, close] = around(&parts, "arguments", "call")?;
        let open = match &object {
            // The name is a JSON string, whether quotes stand around it or not.
            Some(_) => {
                let open = text(&open).replace("\"{name}\"", "{name}");
                owned(open.replace("{name}", "{json_name}"))
            }
            None => owned(text(&open)),
        };
        let [section_open, section_close] = match self.round_calls()? {
            None => [owned(""), owned("")],
            Some([open, close]) => [owned(text(&open)), owned(text(&close))],
        };
        let list = section_open.trim_end().ends_with('[');
        let between = if list { ", " } else { "\n" };
        Ok(CallForm {
            section_open,
            open,
            arguments,
            close: owned(text(&close)),
            between: self.between.clone().unwrap_or_else(|| owned(between)),
            section_close,
            after_text: owned(""),
        })
    }

    fn result_form(&self) -> Result<ResultForm, Wrong> {
        let error = if self.error.is_empty() {
            owned(self.result.replace("{content}", "Error: {content}"))
        } else {
            self.error.clone()
        };
        let two = if self.results.is_empty() { "{result}\n{result}" } else { &*self.results };
        let [open, between, close] = match *two.split("{result}").collect::<Vec<_>>() {
            [open, between, close] => [open, between, close].map(owned),
            _ => {
                let what = format!("`{{result}}` must be in `{two}` twice, as two results stand");
                return Err(Wrong::new("results", what));
            }
        };
        Ok(ResultForm { open, ok: self.result.clone(), error, between, close })
    }
}
