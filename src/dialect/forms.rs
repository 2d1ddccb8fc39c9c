//! Other forms of a dialect: the notation of some of its models, where the parser reads both. The history
//! that goes back to a model is written in the model's own form. The file of a dialect has its forms.

use std::sync::{Arc, LazyLock};

use super::built_in::{BuiltIn, dialect};
use super::facts::Facts;
use super::template::Template;
use super::{blocks, harmony, invoke, json_array, keyed, reads};
use crate::read::machine::Grammar;

/// A form of a dialect.
pub(crate) struct Form {
    /// The name of the dialect.
    pub dialect: &'static str,
    /// The name of the form, after a colon.
    pub name: &'static str,
    pub kind: Kind,
}

pub(crate) enum Kind {
    /// A form that is only written differently. The parser reads both.
    Written(fn() -> &'static Template),
    /// A form that is read differently: a dialect by itself. Its name is the dialect's name, a colon and the
    /// form's name.
    Reads(BuiltIn),
}

/// A written form: a template that is made once a process.
macro_rules! form {
    ($dialect:literal, $name:literal, $template:expr) => {
        Form {
            dialect: $dialect,
            name: $name,
            kind: Kind::Written(|| {
                static TEMPLATE: LazyLock<Template> = LazyLock::new($template);
                &TEMPLATE
            }),
        }
    };
}

const fn reads(dialect: &'static str, name: &'static str, reads: BuiltIn) -> Form {
    Form { dialect, name, kind: Kind::Reads(reads) }
}

/// All forms, by dialect.
pub(crate) static FORMS: [Form; 17] = [
    form!("glm", "inline", blocks::glm_inline),
    form!("deepseek-dsml", "v3.2", invoke::dsml_v32),
    form!("deepseek-dsml", "v4.1", invoke::dsml_v41),
    form!("mistral", "v3", json_array::mistral_v3),
    form!("mistral", "v7", json_array::mistral_v7),
    form!("mistral", "v11", json_array::mistral_v11),
    form!("granite", "ernie", json_array::ernie),
    form!("json-array", "lines", json_array::json_lines),
    form!("json-array", "nemotron", json_array::nemotron),
    form!("json-array", "internlm", json_array::internlm),
    form!("json-array", "apertus", json_array::apertus),
    form!("gigachat3", "role", json_array::gigachat3_role),
    form!("longcat", "json", blocks::longcat_json),
    form!("hunyuan", "4", keyed::hunyuan_4),
    reads(
        "llama3-json",
        "xlam",
        dialect!("llama3-json:xlam", json_array::llama3_json, || reads::llama3_json(true)),
    ),
    reads("phi4", "bare", dialect!("phi4:bare", json_array::phi4, || reads::phi4(true))),
    reads(
        "harmony",
        "stripped",
        dialect!("harmony:stripped", harmony::harmony, || reads::harmony(true)),
    ),
];

impl Form {
    /// The template of a form that is only written differently.
    pub fn template(&self) -> Option<&Template> {
        match &self.kind {
            Kind::Written(template) => Some(template()),
            Kind::Reads(_) => None,
        }
    }
}
