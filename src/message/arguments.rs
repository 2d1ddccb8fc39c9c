//! Reads a call's arguments by the schema of the call's tool.

use serde_json::{Map, Value};

use super::block::{Parts, RawParam};
use super::plain;
use crate::adapt::text::Text;
use crate::dialect::Text as Own;
use crate::dialect::facts::Framing;
use crate::event::{Diagnostic, DiagnosticKind, TypeHint};
use crate::json::coerce;
use crate::json::elements::{self, Elements, Wanted};
use crate::json::fit;
use crate::json::white::trim;
use crate::options::{Options, Types};
use crate::parser::tables::Tables;
use crate::read::ids::PartNumber;
use crate::repair::{self, Repairs};
use crate::tool::types::{self, ValueTypes};
use crate::tool::{Param, Tool, Type};

/// Reads the parameters of a call by its tool's schema.
#[derive(Clone, Copy)]
pub(crate) struct ArgumentsReader<'a> {
    pub tables: &'a Tables,
    /// The number of the call's tool, if it is declared.
    pub tool: Option<u16>,
    /// The number of the parser's dialect that the call is written in.
    pub part: PartNumber,
}

/// Names of an undeclared parameter that holds the object of all arguments.
// A tool that declares a parameter of such a name gets it as that parameter.
const ALL: [&str; 5] = ["arguments", "args", "parameters", "input", "properties"];

/// The arguments of a call, read.
#[derive(Default)]
pub(crate) struct ReadArguments {
    pub input: Map<String, Value>,
    pub problems: Vec<DiagnosticKind>,
    /// The call may not run, whatever the options are.
    pub refused: bool,
}

impl ReadArguments {
    pub fn is_mistyped(&self) -> bool {
        self.problems.contains(&DiagnosticKind::TypeMismatch)
    }

    /// Reads arguments that the model wrote as JSON.
    pub fn of_json(raw: &str, repairs: Repairs) -> ReadArguments {
        match repair::arguments(raw, repairs) {
            Ok(read) => {
                let repaired = !read.repairs.is_empty();
                let problems = repaired.then_some(DiagnosticKind::RepairedJson);
                let problems = problems.into_iter().collect();
                ReadArguments { input: read.object, problems, refused: false }
            }
            Err(error) => ReadArguments {
                input: error.closed,
                problems: vec![DiagnosticKind::MalformedArguments],
                refused: true,
            },
        }
    }

    /// Arguments of a call that has none: complete for a tool that requires nothing, unless other text stood in their
    /// place.
    pub fn absent(tool: Option<&Tool>, unexpected: bool) -> ReadArguments {
        let required = tool.is_some_and(|tool| !tool.requires_nothing());
        let malformed = unexpected.then_some(DiagnosticKind::MalformedArguments);
        let missing = required.then_some(DiagnosticKind::MissingArguments);
        let problems = malformed.into_iter().chain(missing).collect();
        ReadArguments { problems, refused: unexpected || required, ..ReadArguments::default() }
    }
}

impl<'a> ArgumentsReader<'a> {
    pub fn tool(&self) -> Option<&'a Tool> {
        self.tables.tools.get(usize::from(self.tool?))
    }

    /// Reads the arguments of a call whose markup is over. `unexpected`: text stood in it that is no
    /// parameter.
    pub(super) fn arguments(
        &self,
        parts: &mut Parts,
        unexpected: bool,
        found: &mut Vec<Diagnostic>,
    ) -> ReadArguments {
        let raw = parts.raw.as_deref();
        if let Some(lines) = self.lines(parts) {
            let types = parts.params.first().map(|param| self.types(&param.name));
            let param = parts.params.first().zip(types.as_ref());
            let mut read = self.plain(lines, param, raw);
            let closed = parts.params.first().is_none_or(|param| param.closed);
            if let Some(param) = parts.params.first() {
                parts.raw = Some(param.value.clone());
            }
            // Half a text must not pass for the whole input.
            if !closed {
                read.input.clear();
            }
            return read;
        }
        // Models write `null` for a call without arguments.
        match raw.filter(|raw| trim(raw) != "null") {
            None if parts.params.is_empty() => ReadArguments::absent(self.tool(), unexpected),
            None => match self.all_in_one(&parts.params) {
                Some(read) => read,
                None => {
                    let input = self.input(&parts.params, found);
                    ReadArguments { input, ..ReadArguments::default() }
                }
            },
            Some(raw) => self.fitted(ReadArguments::of_json(raw, self.tables.options.repairs)),
        }
    }

    /// The dialect of lines that wrote a call, if its input is plain text.
    pub fn lines(&self, parts: &Parts) -> Option<&[Own]> {
        // Asked first: a call of another dialect may have many parameters.
        let no_input = self.tables.facts(self.part).no_input.as_deref()?;
        // Parameters that an adapter made from JSON show it.
        let json = parts.raw.as_ref().is_some_and(|raw| raw.starts_with('{'))
            || parts.params.iter().any(|param| param.hint.is_some());
        (!json).then_some(no_input)
    }

    /// The plain text input of a call.
    pub fn plain(
        &self,
        no_input: &[Own],
        param: Option<(&RawParam, &ValueTypes)>,
        raw: Option<&str>,
    ) -> ReadArguments {
        let (input, problem) =
            plain::read(no_input, self.tool(), param, raw, self.tables.options.repairs);
        let refused = input.is_none();
        let problems = problem.into_iter().collect();
        let read = ReadArguments { input: input.unwrap_or_default(), problems, refused };
        // An object in quotes has the types of JSON.
        if problem == Some(DiagnosticKind::RepairedJson) { self.fitted(read) } else { read }
    }

    /// Whether a parameter may hold all arguments of its call: no dialect of literals, and no member of an
    /// object that an adapter took apart.
    pub fn may_hold_all(&self, name: &str, hint: Option<TypeHint>) -> bool {
        let of_markup = hint.is_none() || !self.tables.grammar(self.part).hints.is_empty();
        let undeclared = || self.tool().is_some() && self.param(name).is_none();
        let no_literals = || self.tables.facts(self.part).literals.is_none();
        ALL.contains(&name) && of_markup && undeclared() && no_literals()
    }

    /// Returns the arguments of a call whose only parameter holds them all.
    pub fn all_in_one(&self, params: &[RawParam]) -> Option<ReadArguments> {
        let [only] = params else { return None };
        let repairs = self.tables.options.repairs;
        if !only.closed || repairs == Repairs::None || !self.may_hold_all(&only.name, only.hint) {
            return None;
        }
        let (value, _) = repair::value(trim(&self.text(only)), repairs).ok()?;
        let Value::Object(input) = value else { return None };
        let problems = vec![DiagnosticKind::RepairedJson];
        Some(self.fitted(ReadArguments { input, problems, refused: false }))
    }

    /// Converts arguments that came as JSON to the types of the schema.
    fn fitted(&self, mut read: ReadArguments) -> ReadArguments {
        let Options { types: how, repairs, .. } = self.tables.options;
        for (name, value) in &mut read.input {
            let (fitted, problem) = fit::member(value.take(), &self.types(name), how, repairs);
            *value = fitted;
            read.problems.extend(problem);
        }
        read
    }

    /// The required parameters that `input` lacks, in the order of the schema.
    pub fn missing(&self, input: &Map<String, Value>) -> Vec<String> {
        let params = self.tool().map(|tool| &*tool.params).unwrap_or_default();
        let absent =
            params.iter().filter(|param| param.required && !input.contains_key(&param.name));
        absent.map(|param| param.name.clone()).collect()
    }

    /// Builds the object of arguments: the last value of each parameter, and all values of a list. A parameter that
    /// was cut is left out.
    pub fn input(&self, params: &[RawParam], found: &mut Vec<Diagnostic>) -> Map<String, Value> {
        let mut input = Map::new();
        let mut lists: Vec<(&str, Vec<&RawParam>)> = Vec::new();
        let given =
            |param: &&RawParam| param.closed && !RawParam::lacks_key(&param.name, param.hint);
        for param in params.iter().filter(given) {
            let Some(list) = self.list_of(&param.name, param.hint) else {
                let types = self.types(&param.name);
                input.insert(param.name.clone(), self.value(param, &types, found));
                continue;
            };
            match lists.iter_mut().find(|(name, _)| *name == list) {
                Some((_, pieces)) => pieces.push(param),
                None => {
                    lists.push((list, vec![param]));
                    // Its place among the arguments.
                    input.insert(list.to_string(), Value::Null);
                }
            }
        }
        for (name, pieces) in lists {
            input.insert(name.to_string(), self.list(name, &pieces, found));
        }
        input
    }

    /// Returns the list to which a parameter of this name adds a piece: its own, if the schema is a list and
    /// no string, or the list whose singular it is, if the dialect has singulars. A parameter whose type does not
    /// come from the markup was a member of a JSON object, and adds to no list.
    pub fn list_of<'n>(&'n self, name: &'n str, hint: Option<TypeHint>) -> Option<&'n str> {
        self.list_of_types(name, hint, &self.types(name))
    }

    /// Returns the list that a parameter of this name and these types adds a piece to.
    pub fn list_of_types<'n>(
        &'n self,
        name: &'n str,
        hint: Option<TypeHint>,
        types: &ValueTypes,
    ) -> Option<&'n str> {
        if hint.is_some() && self.tables.grammar(self.part).hints.is_empty() {
            return None;
        }
        self.declared_list(name).or_else(|| types.is_list().then_some(name))
    }

    /// Returns the value of a list from its pieces. A piece that is itself a list adds its elements. If the
    /// dialect has elements of lists, only a piece that is alone does.
    pub fn list(&self, name: &str, pieces: &[&RawParam], found: &mut Vec<Diagnostic>) -> Value {
        if let ([only], None) = (pieces, self.declared_list(name)) {
            return self.value(only, &self.types(name), found);
        }
        let (adds, mut list) = (self.pieces_add(name, pieces.len() == 1), Vec::new());
        pieces.iter().for_each(|piece| self.piece(name, piece, adds, &mut list, found));
        list.into()
    }

    /// Whether a piece of this list that is itself a list adds its elements. `alone`: it is the only one.
    pub fn pieces_add(&self, name: &str, alone: bool) -> bool {
        match self.declared_list(name) {
            Some(_) => alone,
            None => !self.item_types(name).has(Type::Array),
        }
    }

    /// Adds a piece to its list.
    pub fn piece(
        &self,
        name: &str,
        piece: &RawParam,
        adds: bool,
        list: &mut Vec<Value>,
        found: &mut Vec<Diagnostic>,
    ) {
        match if adds { self.whole_list(piece, found) } else { None } {
            Some(elements) => list.extend(elements),
            None => list.push(self.value(piece, &self.item_types(name), found)),
        }
    }

    /// The elements of a piece that is itself a list.
    fn whole_list(&self, piece: &RawParam, found: &mut Vec<Diagnostic>) -> Option<Vec<Value>> {
        let read = self.coerce(piece, &Type::Array.into());
        if !read.0.is_array() {
            return None;
        }
        match flag(piece, read, found) {
            Value::Array(elements) => Some(elements),
            _ => None,
        }
    }

    pub fn value(
        &self,
        param: &RawParam,
        types: &ValueTypes,
        found: &mut Vec<Diagnostic>,
    ) -> Value {
        flag(param, self.coerce(param, types), found)
    }

    /// Returns a value whose markup has a type. It is taken verbatim, and the schema is not asked.
    pub fn hinted(&self, param: &RawParam, hint: TypeHint) -> (Value, Option<DiagnosticKind>) {
        if matches!(hint, TypeHint::Json | TypeHint::Literal) {
            if let Some(read) = self.elements(param, &self.types(&param.name)) {
                return read;
            }
        }
        let repairs = self.tables.options.repairs;
        let items = self.item_types(&param.name);
        match self.tables.facts(self.part).literals.as_ref().filter(|_| hint == TypeHint::Literal) {
            Some(literals) => {
                let schema = self.tool().and_then(|tool| tool.schema.as_deref());
                let is_key = |key: &str| schema.is_some_and(|schema| types::has_key(schema, key));
                let of = self.types(&param.name);
                coerce::literal(&param.value, literals, &of, &items, repairs, &is_key)
            }
            None => coerce::hinted(&param.value, hint, &items, repairs),
        }
    }

    fn coerce(&self, param: &RawParam, types: &ValueTypes) -> (Value, Option<DiagnosticKind>) {
        match param.hint {
            Some(hint) => match self.hinted(param, hint) {
                // The markup named the type, so the value is not coerced to the schema's: the difference is
                // reported.
                (value, _) if !fit::fits(&value, types) => {
                    (value, Some(DiagnosticKind::TypeMismatch))
                }
                read => read,
            },
            None => self.elements(param, types).unwrap_or_else(|| {
                coerce::coerce(&self.text(param), types, self.tables.options.repairs)
            }),
        }
    }

    /// Whether a value of these types may be nested elements.
    pub fn may_nest(&self, types: &ValueTypes) -> bool {
        self.tables.facts(self.part).nests.is_some() && elements::may_nest(types)
    }

    /// A value of nested elements, where the dialect has some and the value is not a string.
    fn elements(
        &self,
        param: &RawParam,
        types: &ValueTypes,
    ) -> Option<(Value, Option<DiagnosticKind>)> {
        let [open, close] = self.tables.facts(self.part).nests.as_ref()?;
        let root = self.tool().and_then(|tool| tool.schema.as_deref()).unwrap_or(&Value::Null);
        let elements = Elements {
            open,
            close,
            root,
            decode_entities: self.tables.options.decode_entities && param.hint.is_none(),
            repairs: self.tables.options.repairs,
        };
        let schema = elements::property(root, root, &param.name);
        elements.read(&param.value, &Wanted { types: types.clone(), schema, wire: "" })
    }

    /// Returns the value's text: entities decoded and ends trimmed by the options, unless its markup has a type.
    pub fn text(&self, param: &RawParam) -> String {
        if param.hint.is_some() {
            return param.value.clone();
        }
        let text = if self.tables.options.decode_entities {
            coerce::decode_entities(&param.value)
        } else {
            param.value.clone()
        };
        if self.trims(&param.name) { trim(&text).to_string() } else { text }
    }

    /// Reads the text of a value while it arrives.
    pub fn open_text(&self, name: &str, hint: Option<TypeHint>) -> Text {
        let own = hint.is_none();
        Text::new(own && self.tables.options.decode_entities, own && self.trims(name))
    }

    /// Whether the dialect has the ends of this parameter's values trimmed.
    fn trims(&self, name: &str) -> bool {
        self.tables.framing(self.part, name) == Framing::Trimmed
    }

    /// The declared list that a parameter of this name is an element of.
    pub fn declared_list(&self, name: &str) -> Option<&'a str> {
        if !self.tables.grammar(self.part).singulars {
            return None;
        }
        let tool = self.tool?;
        let param = self.tables.param_number(self.part, tool, name)?;
        let declared = &self.tool()?.params[param as usize].name;
        self.tables.is_list(self.part, tool, param).then_some(declared)
    }

    pub fn types(&self, name: &str) -> ValueTypes {
        match self.param(name) {
            Some(param) => param.into(),
            None if self.tables.options.types == Types::Guess => ValueTypes::guessed(),
            None => ValueTypes::default(),
        }
    }

    pub fn item_types(&self, name: &str) -> ValueTypes {
        let items = self.param(name).and_then(|param| param.items.as_deref());
        items.cloned().unwrap_or_default()
    }

    fn param(&self, name: &str) -> Option<&'a Param> {
        self.tool()?.params.iter().find(|param| param.name == name)
    }
}

/// Returns the value alone; its problem becomes a diagnostic.
fn flag(
    param: &RawParam,
    (value, problem): (Value, Option<DiagnosticKind>),
    found: &mut Vec<Diagnostic>,
) -> Value {
    found.extend(problem.map(|kind| Diagnostic::new(kind, param.at)));
    value
}
