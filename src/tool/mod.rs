//! The tools that your program declares: [`Tool`] and [`Param`].

#[cfg(feature = "json")]
pub(crate) mod json;
pub(crate) mod namespace;
#[cfg(feature = "json")]
pub(crate) mod types;

pub use namespace::Namespace;

/// Tool that the model may call.
///
/// ```
/// use toolstream::{Param, Tool, tools::Type};
///
/// let tool = Tool::new("read_file")
///     .param(Param::required("path").with(Type::String))
///     .param(Param::optional("line").with(Type::Integer));
/// assert_eq!(tool.params[1].name, "line");
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
#[must_use]
pub struct Tool {
    /// The tool's name, as the model must write it. At most 128 bytes.
    pub name: String,
    /// The purpose of the tool, for the prompt.
    pub description: Option<String>,
    /// The parameters, in the order of the declaration.
    pub params: Vec<Param>,
    /// Whether the tool takes free text (OpenAI's `{"type": "custom"}`). Its one parameter is `input`; clients of
    /// Responses get its calls as `custom_tool_call`. Default: `false`.
    pub free_text: bool,
    /// The namespace in which the client declared the tool, if any. `name` then consists of both names.
    pub namespace: Option<Namespace>,
    /// The JSON Schema of the parameters, if the tool was made from one; `Message` coerces by it.
    #[cfg(feature = "json")]
    pub schema: Option<std::sync::Arc<serde_json::Value>>,
}

/// Parameter of a [`Tool`].
///
/// ```
/// use toolstream::{Param, Tool, tools::Type};
///
/// let show = Tool::new("show")
///     .param(Param::required("path").with(Type::String).describe("The file."))
///     .param(Param::optional("line").with(Type::Integer).with(Type::Null));
/// assert!(show.params[0].required && show.params[1].types == [Type::Integer, Type::Null]);
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
#[must_use]
pub struct Param {
    /// The parameter's name, as the model must write it. At most 128 bytes.
    pub name: String,
    /// Whether a call must have the argument. The validator checks it, not the parser.
    pub required: bool,
    /// The types that the schema allows; empty: any, and the value stays text. Their order does not matter: `Message`
    /// tries them in its own order.
    pub types: Vec<Type>,
    /// The purpose of the parameter, for the prompt.
    pub description: Option<String>,
    /// The only texts that the schema takes as strings, if it names them.
    #[cfg(feature = "json")]
    pub(crate) texts: Option<std::sync::Arc<[String]>>,
    /// The types of a list's elements, if its schema states them.
    #[cfg(feature = "json")]
    pub(crate) items: Option<std::sync::Arc<types::ValueTypes>>,
}

/// Type of JSON Schema.
///
/// The types of a [`Param`].
///
/// ```
/// use toolstream::{Dialect, Param, Parser, Tool, tools::Type};
///
/// // What a tag holds is text; the declared type says how it is read.
/// let show = Tool::new("show").param(Param::required("line").with(Type::Integer));
/// let parser = Parser::builder(Dialect::CLINE).tool(show).build()?;
/// let message = parser.parse("<show><line>7</line></show>");
/// assert_eq!(message.calls().next().unwrap().input()["line"], 7);
/// # Ok::<(), toolstream::BuildError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Type {
    /// `null`
    Null,
    /// `boolean`
    Boolean,
    /// `integer`
    Integer,
    /// `number`
    Number,
    /// `string`
    String,
    /// `array`
    Array,
    /// `object`
    Object,
}

impl Type {
    /// All types.
    #[cfg(feature = "json")]
    pub(crate) const ALL: [Type; 7] = [
        Type::Null,
        Type::Boolean,
        Type::Integer,
        Type::Number,
        Type::String,
        Type::Array,
        Type::Object,
    ];

    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Type::Null => "null",
            Type::Boolean => "boolean",
            Type::Integer => "integer",
            Type::Number => "number",
            Type::String => "string",
            Type::Array => "array",
            Type::Object => "object",
        }
    }
}

impl Tool {
    /// Makes a tool without parameters.
    pub fn new(name: impl Into<String>) -> Self {
        Tool { name: name.into(), ..Tool::default() }
    }

    /// Adds a parameter.
    pub fn param(mut self, param: Param) -> Self {
        self.params.push(param);
        self
    }

    /// Sets the description for the prompt.
    pub fn describe(mut self, description: impl Into<String>) -> Self {
        self.description = Some(description.into());
        self
    }

    /// Whether a call of this tool without any argument is complete.
    pub(crate) fn requires_nothing(&self) -> bool {
        !self.params.iter().any(|param| param.required)
    }
}

impl Param {
    /// Makes a parameter that a call must have.
    pub fn required(name: impl Into<String>) -> Self {
        Param { name: name.into(), required: true, ..Param::default() }
    }

    /// Makes a parameter that a call may lack.
    pub fn optional(name: impl Into<String>) -> Self {
        Param { name: name.into(), ..Param::default() }
    }

    /// Adds a type.
    pub fn with(mut self, of: Type) -> Self {
        self.types.push(of);
        self
    }

    /// Sets the description for the prompt.
    pub fn describe(mut self, description: impl Into<String>) -> Self {
        self.description = Some(description.into());
        self
    }

    /// Whether a JSON array is among the types.
    pub(crate) fn is_list(&self) -> bool {
        self.types.contains(&Type::Array)
    }

    /// Whether a type of this name on the wire decides how a value is read: the schema has no types, or several,
    /// among them this one.
    pub(crate) fn leaves_to_wire(&self, word: &str) -> bool {
        let of = |of: &Type| {
            of.as_str() == word || (*of, word) == (Type::Number, Type::Integer.as_str())
        };
        match &*self.types {
            [] => true,
            [_] => false,
            types => types.iter().any(of),
        }
    }
}
