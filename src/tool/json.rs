//! Tools in JSON, as OpenAI, Anthropic, Gemini and MCP declare them: read and written.

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

use serde_json::{Map, Value, json};

use crate::json::members::take;
use crate::options::json::{JsonError, JsonProblem, shape};
use crate::provider::Provider;
use crate::tool::namespace::{flat_name, make_unique};
use crate::tool::types::{ValueTypes, foreign_names};
use crate::tool::{Namespace, Param, Tool, Type};

/// The keys of a declaration's schema: OpenAI and Gemini, Anthropic, MCP, Gemini's JSON Schema. The first of them
/// counts.
const SCHEMA: &[&str] = &[
    "parameters",
    "input_schema",
    "inputSchema",
    "parametersJsonSchema",
    "parameters_json_schema",
];

/// Keys beside the schema. They are not about the parameters.
const BESIDE: &[&str] = &[
    "name",
    "type",
    "title",
    "description",
    // OpenAI
    "strict",
    "format",
    // Anthropic
    "cache_control",
    "input_examples",
    "defer_loading",
    "allowed_callers",
    "eager_input_streaming",
    // MCP
    "annotations",
    "outputSchema",
    "output_schema",
    "icons",
    "execution",
    // Gemini
    "behavior",
    "response",
    "responseJsonSchema",
    "response_json_schema",
];

/// Keys around one declaration.
const WRAPPERS: [&str; 2] = ["function", "custom"];

/// Keys around a list of declarations.
const LISTS: [&str; 2] = ["functionDeclarations", "function_declarations"];

/// The parameter of a tool that takes free text, as [`native`](crate::native) reads its calls.
pub(crate) const INPUT: &str = "input";

/// Name of a type that JSON Schema does not have: see [`Tool::foreign_types`].
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ForeignType {
    /// The place of the name in the tool's schema: `properties.days.type`.
    pub place: String,
    /// The name, as it was written: `int`.
    pub name: String,
    /// The type as which such values are read. `None`: the name is unknown.
    pub read_as: Option<Type>,
}

impl fmt::Display for ForeignType {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ForeignType { place, name, read_as } = self;
        write!(out, "`{name}` at {place} is not a type of JSON Schema: ")?;
        match read_as {
            Some(of) => write!(out, "it is read as `{}`", of.as_str()),
            None => out.write_str("values are read as if no type was declared"),
        }
    }
}

impl Tool {
    /// Makes a tool from its declaration, in any of these forms:
    ///
    /// | origin | form |
    /// |---|---|
    /// | OpenAI | `{"type": "function", "function": {"name", "description"?, "parameters"?}}`, or without the wrapper |
    /// | OpenAI, free text | `{"type": "custom", …}` without a schema: the one parameter is `input` |
    /// | Anthropic | `{"name", "description"?, "input_schema"}` |
    /// | OpenAI, Codex | `{"type": "namespace", "name", "tools": […]}`: its tools, with names that say it ([`Namespace`]) |
    /// | MCP | `{"name", "description"?, "inputSchema"}` |
    /// | Gemini | `{"name", "description"?, "parameters"? or "parametersJsonSchema"?}`, alone or as the only one in `{"functionDeclarations": […]}` |
    ///
    /// Other keys are ignored: `strict`, `cache_control`, `annotations`, keys of a vendor. Without a schema, however,
    /// an unknown key is an error: it may be the schema with a typing error in its name. (A key that begins with `_`
    /// or `x-` is a vendor's.) Names of types in capitals, and `nullable` beside them, as Gemini writes them, become
    /// JSON Schema's.
    ///
    /// A tool that its provider runs itself (`{"type": "web_search"}`) has no schema and is an error here:
    /// [`Tool::from_request`] leaves such tools out.
    ///
    /// # Errors
    /// [`JsonError`] with the place of the mistake, or the unknown key.
    ///
    /// ```
    /// use serde_json::json;
    /// use toolstream::{JsonError, Tool};
    ///
    /// let tool = Tool::from_json(&json!({
    ///     "name": "read_file",
    ///     "inputSchema": {
    ///         "type": "object",
    ///         "properties": {"path": {"type": "string"}},
    ///         "required": ["path"],
    ///     },
    ///     "annotations": {"readOnlyHint": true},
    /// }))?;
    /// assert!(tool.params[0].required);
    ///
    /// let error = Tool::from_json(&json!({"name": "read_file", "paramters": {}})).unwrap_err();
    /// assert_eq!(error.unknown_key().unwrap().0, "paramters");
    /// # Ok::<(), JsonError>(())
    /// ```
    pub fn from_json(declaration: &Value) -> Result<Tool, JsonError> {
        let tools = read(declaration, "tool")?;
        let [tool] = <[Tool; 1]>::try_from(tools)
            .map_err(|_| shape("tool", "one declaration (a list of them is `list_from_json`'s)"))?;
        Ok(tool)
    }

    /// Makes a tool whose parameters are the fields of a type, by its [`schemars::JsonSchema`]. The model's prompt
    /// and the types of [`CompleteCall::parse`](crate::CompleteCall::parse) and
    /// [`PartialCall::parse`](crate::calls::PartialCall::parse) then have one source. The type's documentation is the tool's
    /// description, and that of a field its parameter's.
    ///
    /// ```
    /// use schemars::JsonSchema;
    /// use serde::Deserialize;
    /// use toolstream::{Dialect, Parser, Tool};
    ///
    /// /// Shows some lines of a file.
    /// #[derive(Deserialize, JsonSchema)]
    /// struct Show {
    ///     /// Which file.
    ///     path: String,
    ///     line: Option<u32>,
    /// }
    ///
    /// let tool = Tool::of::<Show>("show")?;
    /// assert_eq!(tool.description.as_deref(), Some("Shows some lines of a file."));
    /// assert!(tool.params[0].required && !tool.params[1].required);
    ///
    /// let parser = Parser::builder(Dialect::QWEN3_CODER).tool(tool).build()?;
    /// let message = parser.parse(
    ///     "<tool_call>\n<function=show>\n<parameter=path>\n7\n</parameter>\n\
    ///      <parameter=line>\n7\n</parameter>\n</function>\n</tool_call>",
    /// );
    /// let show: Show = message.calls().next().unwrap().parse()?;
    /// assert_eq!((&*show.path, show.line), ("7", Some(7)));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`JsonError`] for a type whose values are no objects: a number, a list, an `enum`.
    #[cfg(feature = "schemars")]
    #[cfg_attr(docsrs, doc(cfg(feature = "schemars")))]
    pub fn of<T: schemars::JsonSchema>(name: impl Into<String>) -> Result<Tool, JsonError> {
        // A model's tools have no references to look up, unless a type holds itself.
        let settings = schemars::generate::SchemaSettings::draft2020_12();
        let generator = settings.with(|settings| settings.inline_subschemas = true);
        let schema = generator.into_generator().into_root_schema_for::<T>();
        let Value::Object(mut schema) = schema.to_value() else {
            return Err(shape("schema", "that of an object"));
        };
        if schema.get("type").is_none_or(|of| of != "object") {
            return Err(shape(
                "schema.type",
                "\"object\", because the arguments of a call are an object",
            ));
        }
        let description = schema.remove("description").unwrap_or_default();
        schema.retain(|key, _| key != "$schema" && key != "title");
        let mut tool = json!({"name": name.into(), "parameters": schema});
        if description.is_string() {
            tool["description"] = description;
        }
        Tool::from_json(&tool)
    }

    /// Reads the tools of a JSON array of declarations, as in a client's request. A declaration may hold several
    /// tools (`functionDeclarations`, a namespace).
    ///
    /// ```
    /// use serde_json::json;
    /// use toolstream::Tool;
    ///
    /// let request = json!({"tools": [{"functionDeclarations": [{"name": "list"}, {"name": "stop"}]}]});
    /// let tools = Tool::list_from_json(&request["tools"])?;
    /// assert_eq!(tools[1].name, "stop");
    /// # Ok::<(), toolstream::JsonError>(())
    /// ```
    ///
    /// # Errors
    /// The errors of [`Tool::from_json`].
    pub fn list_from_json(tools: &Value) -> Result<Vec<Tool>, JsonError> {
        let list = tools.as_array().ok_or_else(|| shape("tools", "an array of tools"))?;
        let mut read_tools = Vec::new();
        for (at, tool) in list.iter().enumerate() {
            read_tools.extend(read(tool, &format!("tools[{at}]"))?);
        }
        make_unique(&mut read_tools);
        Ok(read_tools)
    }

    /// Reads the tools of a client's request, for a model of text. It works as [`Tool::list_from_json`], but leaves
    /// out tools that the provider runs or knows by itself (`{"type": "web_search"}`, `local_shell`, `mcp`, `{"type":
    /// "bash_20250124", "name": "bash"}`, `{"googleSearch": {}}`, `tool_search`), which have no schema. Their types
    /// come second, to be logged or refused; in a namespace with its name (`mcp__mail.web_search`). An absent list
    /// (`null`) is an empty one.
    ///
    /// ```
    /// use serde_json::json;
    /// use toolstream::Tool;
    ///
    /// let request = json!({"tools": [
    ///     {"type": "function", "name": "read", "parameters": {"type": "object"}},
    ///     {"type": "web_search"},
    /// ]});
    /// let (tools, left_out) = Tool::from_request(&request["tools"])?;
    /// assert_eq!((tools.len(), left_out), (1, vec!["web_search".to_string()]));
    /// # Ok::<(), toolstream::JsonError>(())
    /// ```
    ///
    /// # Errors
    /// The errors of [`Tool::from_json`], for the tools that are not left out.
    pub fn from_request(tools: &Value) -> Result<(Vec<Tool>, Vec<String>), JsonError> {
        if tools.is_null() {
            return Ok(Default::default());
        }
        let list = tools.as_array().ok_or_else(|| shape("tools", "an array of tools"))?;
        let mut known = Vec::new();
        for (at, element) in list.iter().enumerate() {
            let place = format!("tools[{at}]");
            if let Some(namespace) = NamespaceOf::element(element) {
                known.extend(namespace.read(&place, |tool| of_provider(tool).is_empty())?);
            } else if declares(element) {
                known.extend(read(element, &place)?);
            }
        }
        make_unique(&mut known);
        Ok((known, list.iter().flat_map(hosted).collect()))
    }

    /// Returns the declarations of a client's request without those that [`Tool::from_request`] leaves out, and the
    /// types of those: for programs that pass the declarations on as JSON. An absent list (`null`) is an empty one;
    /// anything else that is not an array stays as it is.
    ///
    /// ```
    /// use serde_json::json;
    /// use toolstream::Tool;
    ///
    /// let request = json!({"tools": [{"type": "function", "name": "read"}, {"type": "web_search"}]});
    /// let (declared, left_out) = Tool::split_request(&request["tools"]);
    /// assert_eq!(declared, json!([{"type": "function", "name": "read"}]));
    /// assert_eq!(left_out, ["web_search"]);
    /// ```
    pub fn split_request(tools: &Value) -> (Value, Vec<String>) {
        let list = match tools {
            Value::Array(list) => list.as_slice(),
            Value::Null => &[],
            other => return (other.clone(), Vec::new()),
        };
        let mut declared = Vec::new();
        for element in list {
            if let Some(namespace) = NamespaceOf::element(element) {
                let own = namespace.tools.iter().filter(|tool| of_provider(tool).is_empty());
                let own: Vec<Value> = own.cloned().collect();
                let mut element = element.clone();
                element["tools"] = own.into();
                declared.push(element);
            } else if declares(element) {
                declared.push(element.clone());
            }
        }
        (declared.into(), list.iter().flat_map(hosted).collect())
    }

    /// Returns the names of types in the schema that JSON Schema does not have, such as `int` for `integer`: for a
    /// note to the author of the tool. Names of Python and Gemini are read as their type. A value of any other name
    /// keeps the type that its JSON has, or is a text.
    ///
    /// ```
    /// use serde_json::json;
    /// use toolstream::{Tool, tools::Type};
    ///
    /// let schema = json!({"type": "object", "properties": {"days": {"type": "int"}}});
    /// let tool = Tool::from_json(&json!({"name": "forecast", "parameters": schema}))?;
    /// let foreign = &tool.foreign_types()[0];
    /// assert_eq!((&*foreign.place, &*foreign.name), ("properties.days.type", "int"));
    /// assert_eq!(foreign.read_as, Some(Type::Integer));
    /// # Ok::<(), toolstream::JsonError>(())
    /// ```
    pub fn foreign_types(&self) -> Vec<ForeignType> {
        let mut found = Vec::new();
        if let Some(schema) = &self.schema {
            foreign_names(schema, "", &mut found);
        }
        found
    }

    /// Returns the declaration for a provider's request: an element of `tools`; for Gemini one of
    /// `functionDeclarations`, all of which stand in one element of `tools`.
    ///
    /// The schema is the one that was read, or one made from the declared parameters. Other keys of a declaration
    /// (`strict`, …) are not kept. A tool of a namespace is written under its single name.
    ///
    /// ```
    /// use serde_json::json;
    /// use toolstream::native::Provider;
    /// use toolstream::{Param, Tool, tools::Type};
    ///
    /// let tool = Tool::new("read").param(Param::required("path").with(Type::String));
    /// let schema = json!({
    ///     "type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"],
    /// });
    /// assert_eq!(
    ///     tool.to_request(Provider::OpenAiChat),
    ///     json!({"type": "function", "function": {"name": "read", "parameters": schema}}),
    /// );
    /// let gemini = json!({"name": "read", "parametersJsonSchema": schema});
    /// assert_eq!(tool.to_request(Provider::Gemini), gemini);
    /// ```
    pub fn to_request(&self, provider: Provider) -> Value {
        match provider {
            Provider::OpenAiChat => {
                json!({"type": "function", "function": self.declaration("parameters")})
            }
            Provider::OpenAiResponses => {
                let (kind, mut rest) = ("function", self.declaration("parameters"));
                let kind = if self.free_text && take(&mut rest, "parameters").is_some() {
                    "custom"
                } else {
                    kind
                };
                let mut declaration = Map::from_iter([("type".to_string(), kind.into())]);
                declaration.extend(rest);
                declaration.into()
            }
            Provider::Anthropic => self.declaration("input_schema").into(),
            Provider::Gemini => self.declaration("parametersJsonSchema").into(),
        }
    }

    fn declaration(&self, key: &str) -> Map<String, Value> {
        let mut declaration = Map::new();
        declaration.insert("name".to_string(), self.name.as_str().into());
        if let Some(description) = &self.description {
            declaration.insert("description".to_string(), description.as_str().into());
        }
        let mut schema = self.json_schema().into_owned();
        // All of these APIs demand it.
        if let Some(schema) = schema.as_object_mut() {
            schema.entry("type").or_insert_with(|| "object".into());
        }
        declaration.insert(key.to_string(), schema);
        declaration
    }

    /// Returns the JSON Schema of the parameters: the tool's own, or one made from the declared parameters.
    pub(crate) fn json_schema(&self) -> Cow<'_, Value> {
        match self.schema.as_deref() {
            Some(schema) => Cow::Borrowed(schema),
            None => Cow::Owned(declared(self)),
        }
    }

    /// Returns the JSON Schema of one parameter, with the definitions that it may refer to.
    pub(crate) fn param_schema(&self, at: usize) -> Value {
        let param = &self.params[at];
        let root = self.json_schema();
        let types: Vec<&str> = param.types.iter().copied().map(Type::as_str).collect();
        let declared = root.get("properties").and_then(|all| all.get(&param.name)).cloned();
        let mut schema = declared.unwrap_or_else(|| serde_json::json!({"type": types}));
        for key in ["$defs", "definitions"] {
            if let (Value::Object(schema), Some(found)) = (&mut schema, root.get(key)) {
                schema.insert(key.into(), found.clone());
            }
        }
        schema
    }
}

fn declared(tool: &Tool) -> Value {
    let mut properties = Map::new();
    for param in &tool.params {
        let mut schema = Map::new();
        let types: Vec<&str> = param.types.iter().copied().map(Type::as_str).collect();
        match types[..] {
            [] => {}
            [only] => drop(schema.insert("type".into(), only.into())),
            _ => drop(schema.insert("type".into(), types.into())),
        }
        if let Some(description) = &param.description {
            schema.insert("description".into(), description.as_str().into());
        }
        properties.insert(param.name.clone(), schema.into());
    }
    let required = tool.params.iter().filter(|param| param.required).map(|param| &*param.name);
    let required: Vec<&str> = required.collect();
    if required.is_empty() {
        json!({"type": "object", "properties": properties})
    } else {
        json!({"type": "object", "properties": properties, "required": required})
    }
}

/// A namespace in a list of tools.
struct NamespaceOf<'v> {
    name: &'v str,
    description: Option<&'v str>,
    tools: &'v [Value],
}

impl<'v> NamespaceOf<'v> {
    fn element(element: &'v Value) -> Option<NamespaceOf<'v>> {
        let tools = element["tools"].as_array().filter(|_| element["type"] == "namespace")?;
        let name = element["name"].as_str().unwrap_or_default();
        Some(NamespaceOf { name, description: element["description"].as_str(), tools })
    }

    /// Reads the wanted tools of the namespace. A tool without a description has that of the namespace.
    fn read(
        &self,
        place: &str,
        is_wanted: impl Fn(&Value) -> bool,
    ) -> Result<Vec<Tool>, JsonError> {
        if self.name.is_empty() {
            return Err(shape(format!("{place}.name"), "a string that is not empty"));
        }
        let wanted = self.tools.iter().enumerate().filter(|(_, tool)| is_wanted(tool));
        let tool = |(at, tool)| {
            let mut tool = read_tool(tool, &format!("{place}.tools[{at}]"))?;
            let own = std::mem::take(&mut tool.name);
            tool.name = flat_name(self.name, &own);
            tool.namespace = Some(Namespace { name: self.name.to_string(), tool: own });
            tool.description = tool.description.or(self.description.map(String::from));
            Ok(tool)
        };
        wanted.map(tool).collect()
    }
}

/// Reads the tools of an element of a list.
fn read(element: &Value, place: &str) -> Result<Vec<Tool>, JsonError> {
    if let Some(namespace) = NamespaceOf::element(element) {
        return namespace.read(place, |_| true);
    }
    let Some((key, list)) = LISTS.iter().find_map(|key| Some((key, element.get(key)?))) else {
        return Ok(vec![read_tool(element, place)?]);
    };
    let place = format!("{place}.{key}");
    let list = list.as_array().ok_or_else(|| shape(&place, "an array of declarations"))?;
    let tool = |(at, tool)| read_tool(tool, &format!("{place}[{at}]"));
    list.iter().enumerate().map(tool).collect()
}

/// Returns the types of the tools in this element that a provider runs or knows by itself. They have a type of their
/// own and no schema, or (Gemini) are the key of an object that sets them up.
fn of_provider(element: &Value) -> Vec<String> {
    let Some(keys) = element.as_object() else { return Vec::new() };
    let has = |known: &[&str]| known.iter().any(|key| keys.contains_key(*key));
    if let Some(of) = keys.get("type").and_then(Value::as_str) {
        // Codex's `tool_search` has a schema, but no name.
        let is_called = has(SCHEMA) && (has(&["name"]) || has(&WRAPPERS));
        let declared = ["function", "custom"].contains(&of) || is_called;
        return if declared { Vec::new() } else { vec![of.to_string()] };
    }
    if has(&["name"]) || has(&WRAPPERS) {
        return Vec::new();
    }
    let set_up = keys.iter().filter(|(key, value)| !LISTS.contains(&&***key) && value.is_object());
    set_up.map(|(key, _)| key.clone()).collect()
}

/// Returns the types of the tools in this element that a provider runs; in a namespace with its name.
fn hosted(element: &Value) -> Vec<String> {
    let Some(namespace) = NamespaceOf::element(element) else { return of_provider(element) };
    let types = namespace.tools.iter().flat_map(of_provider);
    types.map(|of| format!("{}.{of}", namespace.name)).collect()
}

/// Whether an element that is not a namespace declares tools.
fn declares(element: &Value) -> bool {
    of_provider(element).is_empty() || LISTS.iter().any(|key| element.get(key).is_some())
}

fn read_tool(element: &Value, place: &str) -> Result<Tool, JsonError> {
    let wrapper = WRAPPERS.iter().find(|key| element.get(key).is_some_and(Value::is_object));
    let declaration = wrapper.map_or(element, |key| &element[*key]);
    let name = declaration.get("name").and_then(Value::as_str);
    let name = name.ok_or_else(|| shape(format!("{place}.name"), "a string"))?;
    let description = declaration.get("description").and_then(Value::as_str).map(String::from);
    let tool = Tool { name: name.to_string(), description, ..Tool::default() };
    let Some(schema) = find_schema(declaration, place)? else {
        no_typing_error(element, wrapper.copied(), place)?;
        let free_text = element.get("type").is_some_and(|of| of == "custom");
        let input = free_text.then(|| Param::required(INPUT).with(Type::String));
        return Ok(Tool { params: input.into_iter().collect(), free_text, ..tool });
    };
    let mut schema = schema.clone();
    into_json_schema(&mut schema);
    let params = read_params(&schema);
    Ok(Tool { params, schema: Some(Arc::new(schema)), ..tool })
}

fn find_schema<'d>(declaration: &'d Value, place: &str) -> Result<Option<&'d Value>, JsonError> {
    let given = |key: &&&str| declaration.get(**key).is_some_and(|schema| !schema.is_null());
    match SCHEMA.iter().find(given) {
        Some(key) if declaration[*key].is_object() => Ok(Some(&declaration[*key])),
        Some(key) => Err(shape(format!("{place}.{key}"), "a JSON Schema object")),
        None => Ok(None),
    }
}

/// Looks for a key that could be a misspelt schema, if there is no schema.
fn no_typing_error(element: &Value, wrapper: Option<&str>, place: &str) -> Result<(), JsonError> {
    let own =
        |of: &Value| of.as_object().map(|of| of.keys().cloned()).into_iter().flatten().collect();
    let outer: Vec<String> = own(element);
    let inner: Vec<String> = wrapper.map(|key| own(&element[key])).unwrap_or_default();
    let unknown = |key: &String| {
        let known =
            BESIDE.iter().chain(SCHEMA).any(|known| key == known) || Some(&**key) == wrapper;
        !known && !key.starts_with('_') && !key.starts_with("x-")
    };
    let keys: Vec<String> = outer.into_iter().chain(inner).filter(unknown).collect();
    if keys.is_empty() {
        Ok(())
    } else {
        Err(JsonProblem::UnknownKeys { place: place.to_string(), keys, known: SCHEMA }.into())
    }
}

fn read_params(schema: &Value) -> Vec<Param> {
    let required = |name: &str| {
        let list = schema.get("required").and_then(Value::as_array);
        list.is_some_and(|list| list.iter().any(|required| required == name))
    };
    let properties = schema.get("properties").and_then(Value::as_object);
    let param = |(name, of): (&String, &Value)| {
        let ValueTypes { types, texts, .. } = ValueTypes::from_schema(of, schema);
        Param {
            name: name.clone(),
            required: required(name),
            types: types.into_vec(),
            description: of.get("description").and_then(Value::as_str).map(String::from),
            texts,
            items: ValueTypes::of_items(of, schema).map(Arc::new),
        }
    };
    properties.into_iter().flatten().map(param).collect()
}

/// Turns Gemini's own schemas into JSON Schema. They are OpenAPI's: types in capitals, with `nullable` beside
/// them.
fn into_json_schema(schema: &mut Value) {
    let Some(schema) = schema.as_object_mut() else { return };
    let capitals = |of: &str| Type::ALL.iter().any(|known| of == known.as_str().to_uppercase());
    if let Some(of) = schema.get("type").and_then(Value::as_str).filter(|of| capitals(of)) {
        let of = of.to_lowercase();
        let nullable = schema.get("nullable") == Some(&Value::Bool(true));
        schema.insert("type".to_string(), if nullable { json!([of, "null"]) } else { of.into() });
        take(schema, "nullable");
    }
    for (key, part) in schema.iter_mut() {
        match (&**key, part) {
            ("items" | "additionalProperties", part) => into_json_schema(part),
            ("anyOf" | "prefixItems", Value::Array(parts)) => {
                parts.iter_mut().for_each(into_json_schema);
            }
            ("properties" | "$defs", Value::Object(parts)) => {
                parts.values_mut().for_each(into_json_schema);
            }
            _ => {}
        }
    }
}
