//! The keys of a [`DialectSpec`]: its fields, of which those are left out that are as by default.

use serde::de::{Deserialize, Deserializer};
use serde::ser::{Serialize, Serializer};

use super::super::piece::is_default;
use super::super::spec::{
    BodyKind, CallKind, DialectSpec, Keyword, Lines, Place, ProseKind, SectionKind, Text, ValueKind,
};
use super::super::template::Template;
use super::is_input;
use crate::event::TypeHint;
use crate::objects::Objects;
use crate::options::CallsInReasoning;

#[derive(serde::Serialize, serde::Deserialize)]
#[serde(remote = "DialectSpec", default = "DialectSpec::empty", deny_unknown_fields)]
struct Keys {
    name: Text,
    about: Text,
    #[serde(skip_serializing_if = "is_default")]
    tag_names: bool,
    #[serde(skip_serializing_if = "is_default")]
    entry: Place,
    #[serde(skip_serializing_if = "is_default")]
    calls_in_reasoning: CallsInReasoning,
    prose: Vec<ProseKind>,
    #[serde(skip_serializing_if = "is_default")]
    sections: Vec<SectionKind>,
    #[serde(skip_serializing_if = "is_default")]
    calls: Vec<CallKind>,
    #[serde(skip_serializing_if = "is_default")]
    values: Vec<ValueKind>,
    #[serde(skip_serializing_if = "is_default")]
    bodies: Vec<BodyKind>,
    #[serde(skip_serializing_if = "is_default")]
    boundary: Vec<Text>,
    #[serde(skip_serializing_if = "is_default")]
    stripped: bool,
    #[serde(skip_serializing_if = "is_default")]
    raw: Option<u8>,
    #[serde(skip_serializing_if = "is_default")]
    raw_params: Vec<Text>,
    #[serde(skip_serializing_if = "is_default")]
    diff_params: Vec<Text>,
    #[serde(skip_serializing_if = "is_default")]
    singulars: bool,
    #[serde(skip_serializing_if = "is_default")]
    ids: bool,
    #[serde(skip_serializing_if = "is_default")]
    hints: Vec<(Text, TypeHint)>,
    #[serde(skip_serializing_if = "is_default")]
    nests: Option<(Text, Text)>,
    #[serde(skip_serializing_if = "is_default")]
    hints_yield: bool,
    #[serde(skip_serializing_if = "is_input")]
    input: Text,
    #[serde(skip_serializing_if = "is_default")]
    keywords: Vec<Keyword>,
    #[serde(skip_serializing_if = "is_default")]
    thought: Option<u8>,
    #[serde(skip_serializing_if = "is_default")]
    lines: Lines,
    #[serde(skip_serializing_if = "is_default")]
    id: Text,
    #[serde(skip_serializing_if = "is_default")]
    template: Template,
}

impl<'de> Deserialize<'de> for DialectSpec {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<DialectSpec, D::Error> {
        Keys::deserialize(Objects(from))
    }
}

impl Serialize for DialectSpec {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        Keys::serialize(self, to)
    }
}
