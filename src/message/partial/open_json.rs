//! JSON of a call while it comes: its [document](crate::json::document), and the [tree](crate::json::tree) of
//! its values.

use serde_json::Value;

use crate::json::document::{Document, Part};
use crate::json::tree::Tree;
use crate::json::{elements, fit};
use crate::message::ArgumentsReader;
use crate::options::Types;
use crate::tool::types::{self, ValueTypes};

#[derive(Clone, Debug)]
pub(crate) struct OpenJson {
    document: Document,
    tree: Tree,
    /// Its value is lent to the caller.
    lent: bool,
    /// The text is broken: reading has stopped.
    lost: bool,
    /// The member whose text is read whole: it may be a value of its schema's type.
    coerced: Option<String>,
}

impl OpenJson {
    pub fn new(document: Document) -> OpenJson {
        OpenJson { document, tree: Tree::default(), lent: false, lost: false, coerced: None }
    }

    /// Reads a piece, and returns the value so far, if it has begun. `shown`: the result of the last piece.
    /// `param`: the owner of the value, if it is not all of the arguments.
    pub fn read(
        &mut self,
        piece: &str,
        shown: Value,
        reader: ArgumentsReader<'_>,
        param: Option<&str>,
    ) -> Option<Value> {
        if self.lost {
            return self.lent.then_some(shown);
        }
        let OpenJson { document, tree, coerced, .. } = self;
        if self.lent {
            tree.take_apart(shown);
        }
        let read = document.read(piece, &mut |part| {
            tree.part(part);
            match part {
                Part::StringStart if tree.shows_string() => {
                    *coerced = if param.is_none() { mistyped(tree, reader) } else { None };
                    if coerced.is_some() || is_one_of(tree, reader, param) {
                        tree.hide_string();
                    }
                }
                Part::StringEnd { key: false } => {
                    if let Some(name) = coerced.take() {
                        coerce(tree, &name, reader);
                    }
                }
                _ => {}
            }
        });
        self.lost = read.is_err();
        let value = tree.put_together();
        self.lent = value.is_some();
        value
    }

    /// See [`Tree::take_revised`].
    pub fn take_revised(&mut self) -> bool {
        self.tree.take_revised()
    }

    /// See [`Tree::path`].
    pub fn path(&self) -> impl Iterator<Item = Option<&str>> {
        self.tree.path()
    }
}

/// Returns the member that begins as a string, if its schema has no string, and texts are read by their
/// schema.
fn mistyped(tree: &Tree, reader: ArgumentsReader<'_>) -> Option<String> {
    if reader.tables.options.types != Types::Coerce {
        return None;
    }
    let mut keys = tree.keys();
    let (Some(Some(name)), None) = (keys.next(), keys.next()) else { return None };
    (!fit::fits(&"".into(), &reader.types(name))).then(|| name.to_string())
}

/// Coerces a value once its string is whole.
fn coerce(tree: &mut Tree, name: &str, reader: ArgumentsReader<'_>) {
    let Some(member) = tree.member_mut(name) else { return };
    let how = reader.tables.options.types;
    let repairs = reader.tables.options.repairs;
    *member = fit::member(member.take(), &reader.types(name), how, repairs).0;
}

/// Whether the string that begins is one of a few by its schema.
fn is_one_of(tree: &Tree, reader: ArgumentsReader<'_>, param: Option<&str>) -> bool {
    let Some(root) = reader.tool().and_then(|tool| tool.schema.as_deref()) else { return false };
    let mut keys = param.into_iter().map(Some).chain(tree.keys());
    let schema = keys.try_fold(root, |schema, key| match key {
        Some(key) => elements::property(schema, root, key),
        None => types::items(schema, root),
    });
    schema.is_some_and(|schema| ValueTypes::from_schema(schema, root).texts.is_some())
}
