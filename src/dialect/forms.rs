//! Other forms of a dialect: what some of its models write otherwise than the others, where the parser
//! reads both. The history that goes back to a model stands in the form that it writes itself.
//! Each is written in the file of its dialect.

use std::sync::LazyLock;

use super::spec::DialectSpec;
use super::template::Template;
use super::{blocks, harmony, invoke, json_array, keyed};

/// One of them.
pub(crate) struct Form {
    /// The name of the dialect.
    pub dialect: &'static str,
    /// Its own name, after a colon.
    pub name: &'static str,
    pub template: LazyLock<Template>,
    /// What it reads, if that is not what the dialect reads.
    pub table: Option<LazyLock<DialectSpec>>,
}

const fn form(dialect: &'static str, name: &'static str, template: fn() -> Template) -> Form {
    Form { dialect, name, template: LazyLock::new(template), table: None }
}

/// One that is also read otherwise: it has a table of its own, whose name is that of the dialect, a colon
/// and its own.
const fn reads(dialect: &'static str, name: &'static str, table: fn() -> DialectSpec) -> Form {
    let table = Some(LazyLock::new(table));
    Form { dialect, name, template: LazyLock::new(Template::default), table }
}

/// All of them, by dialect.
pub(crate) static FORMS: [Form; 17] = [
    form("glm", "inline", blocks::glm_inline),
    form("deepseek-dsml", "v3.2", invoke::dsml_v32),
    form("deepseek-dsml", "v4.1", invoke::dsml_v41),
    form("mistral", "v3", json_array::mistral_v3),
    form("mistral", "v7", json_array::mistral_v7),
    form("mistral", "v11", json_array::mistral_v11),
    form("granite", "ernie", json_array::ernie),
    form("json-array", "lines", json_array::json_lines),
    form("json-array", "nemotron", json_array::nemotron),
    form("json-array", "internlm", json_array::internlm),
    form("json-array", "apertus", json_array::apertus),
    form("gigachat3", "role", json_array::gigachat3_role),
    form("longcat", "json", blocks::longcat_json),
    form("hunyuan", "4", keyed::hunyuan_4),
    reads("llama3-json", "xlam", json_array::llama3_json_xlam),
    reads("phi4", "bare", json_array::phi4_bare),
    reads("harmony", "stripped", harmony::stripped),
];
