//! Lark, as `llguidance` reads it.
//!
//! A lexer takes the longest text that fits, so a value that may hold its own closer is no token of its
//! own: with its closer and all of the marker that follows it is one, and what comes before that marker
//! must not hold a closer with what may follow one. So no such token is the beginning of another.

use std::fmt::Write as _;

use super::expression::{Names, call_hole, filled, param_hole};
use super::{Arguments, Source, is_text, param_schema};
use crate::dialect::spec::DialectSpec;
use crate::dialect::template::ParamForm;
use crate::tool::Tool;

pub(super) fn grammar(source: &Source, arguments: &Arguments) -> String {
    let tables = source.parser.tables();
    let spec = tables.spec(0);
    let tools = source.tools();
    let calls = match tables.options.tool_limit {
        None => "call*".to_string(),
        Some(1) => "call?".to_string(),
        Some(most) => format!("call{{0,{most}}}"),
    };
    let in_text = Names { tools, call: None }.in_text(spec);
    let numbers: Vec<String> = (0..tools.len()).map(|number| format!("call_{number}")).collect();
    let mut out = format!("start: {calls} TEXT?\ncall: {}\n", numbers.join(" | "));
    let _ = writeln!(out, "TEXT: {}", without(&in_text));
    let [open, close] = source.around();
    for (number, tool) in tools.iter().enumerate() {
        let hole = call_hole(spec, &tool.name);
        let close = filled(close.trim_end(), &hole);
        let _ = writeln!(out, "HEAD_{number}: TEXT /{}/", filled(&open, &hole));
        match arguments {
            Arguments::Json => {
                let _ = writeln!(out, "call_{number}: HEAD_{number} args_{number} END_{number}");
                let _ = writeln!(out, "args_{number}: %json {}", tool.json_schema());
                let _ = if close.is_empty() {
                    writeln!(out, "END_{number}: \"\"")
                } else {
                    writeln!(out, "END_{number}: /{close}/")
                };
            }
            Arguments::Params(form) => {
                let call = CallRules { source, spec, form, tool, number, close };
                let _ = writeln!(out, "call_{number}: HEAD_{number} ({})", call.ways(None));
                (0..tool.params.len()).for_each(|at| call.param(at, &mut out));
                call.markers(&mut out);
            }
        }
    }
    out
}

/// Any text that does not hold one of these.
fn without(expression: &str) -> String {
    format!("/(?s:.*)/ & ~/(?s:.*){expression}(?s:.*)/")
}

struct CallRules<'a> {
    source: &'a Source<'a>,
    spec: &'a DialectSpec,
    form: &'a ParamForm,
    tool: &'a Tool,
    number: usize,
    close: String,
}

impl CallRules<'_> {
    /// What may come after a parameter: each with the token that opens it.
    fn ways(&self, after: Option<usize>) -> String {
        let (params, end) = Source::next(self.tool, after);
        let n = self.number;
        let mut ways: Vec<String> =
            params.map(|at| format!("OPEN_{n}_{at} value_{n}_{at}")).collect();
        ways.extend(end.then(|| format!("END_{n}")));
        ways.join(" | ")
    }

    fn of(&self, at: usize) -> &'static str {
        if is_text(&self.tool.params[at].types) {
            "string"
        } else {
            self.tool.params[at].types[0].as_str()
        }
    }

    fn marker(&self, text: &str, at: usize) -> String {
        filled(text, param_hole(&self.tool.params[at].name, self.of(at)))
    }

    fn markers(&self, out: &mut String) {
        for at in 0..self.tool.params.len() {
            let _ =
                writeln!(out, "OPEN_{}_{at}: /{}/", self.number, self.marker(&self.form.open, at));
        }
        let _ = writeln!(out, "END_{}: /{}/", self.number, self.close);
    }

    /// The value of a parameter, and all that comes after it.
    fn param(&self, at: usize, out: &mut String) {
        let n = self.number;
        let close = self.marker(&self.form.close, at);
        if self.of(at) != "string" {
            let schema = param_schema(self.tool, at);
            let _ = writeln!(
                out,
                "value_{n}_{at}: [/\\n/] json_{n}_{at} /\\n?{close}/ ({})",
                self.ways(Some(at))
            );
            let _ = writeln!(out, "json_{n}_{at}: %json {schema}");
            return;
        }
        let key = &self.tool.params[at].name;
        let names = Names { tools: self.source.tools(), call: Some((self.tool, key)) };
        let kind = self.source.parser.tables().value_kind(0, key, self.form.kind);
        let in_value = names.in_value(&self.spec.values[kind as usize].rules);
        let (params, end) = Source::next(self.tool, Some(at));
        let token = |next: &str| format!("RAW_{n}_{at}_{next}");
        let mut ways: Vec<String> = params
            .clone()
            .map(|next| format!("{} value_{n}_{next}", token(&next.to_string())))
            .collect();
        ways.extend(end.then(|| token("END")));
        let _ = writeln!(out, "value_{n}_{at}: {}", ways.join(" | "));
        let _ = writeln!(out, "VALUE_{n}_{at}: {}", without(&in_value));
        for next in params {
            let open = self.marker(&self.form.open, next);
            let _ = writeln!(out, "{}: VALUE_{n}_{at} /{close}{open}/", token(&next.to_string()));
        }
        if end {
            let _ = writeln!(out, "{}: VALUE_{n}_{at} /{close}{}/", token("END"), self.close);
        }
    }
}
