//! Arguments that fit the tool's schema.

use std::collections::HashMap;
use std::sync::Arc;

use serde_json::Value;

use super::fit::fitted;
use super::hook::{Hook, Pre};
use super::schema::problems;
use crate::policy::config::{Result, invalid};
use crate::tool::Tool;

impl Hook {
    /// A hook that checks a call's arguments by its tool's schema. First they are coerced if that loses
    /// nothing (`"5"` for an integer); later hooks and the tool see the result. Then the model reads all
    /// mistakes at once. A tool without a schema is checked by its [`params`](Tool::params): their types, and
    /// which are required.
    ///
    /// The hook supports these parts of JSON Schema: `type`, `enum`, `const`, `anyOf`, `oneOf` (one of them
    /// fits), `minimum`, `maximum`, `items`, `properties`, `required` and `additionalProperties: false`.
    ///
    /// Calls of other tools are blocked, and the model reads the names of the known tools. With
    /// [`Hook::tools`] the hook sees only the named tools, so that others run unchecked.
    ///
    /// # Errors
    /// If a tool is declared twice.
    ///
    /// ```
    /// use serde_json::json;
    /// use toolstream::Tool;
    /// use toolstream::policy::{Call, Hook, Hooks};
    ///
    /// let tool = Tool::from_json(&json!({"name": "show", "parameters": {
    ///     "type": "object",
    ///     "properties": {"path": {"type": "string"}, "line": {"type": "integer", "minimum": 1}},
    ///     "required": ["path"],
    /// }}))?;
    /// let hooks = Hooks::default().with(Hook::arg_validation(vec![tool])?);
    /// let show = |arguments| {
    ///     let call = Call::new("show", arguments);
    ///     hooks.execute(call, |call| call.ok(call.arguments.clone())).result.content
    /// };
    /// assert_eq!(show(json!({"path": "a.rs", "line": "7"})), json!({"path": "a.rs", "line": 7}));
    /// assert_eq!(
    ///     show(json!({"line": 0})),
    ///     "Invalid arguments for tool 'show':\n- path: is required\n- line: must be at least 1",
    /// );
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn arg_validation(tools: Vec<Tool>) -> Result<Hook> {
        by_schema(tools, "tools")
    }

    /// [`Hook::arg_validation`] by all of JSON Schema.
    ///
    /// # Errors
    /// If a tool is declared twice, or its schema is invalid.
    #[cfg(feature = "jsonschema")]
    pub fn json_schema(tools: Vec<Tool>) -> Result<Hook> {
        Hook::checked_by(tools, super::json_schema::checker)
    }

    /// [`Hook::arg_validation`] by a checker of your own, made from each tool's schema. A checker returns all
    /// mistakes in the arguments, each on a line (`pos.line: must be integer`); nothing if they fit.
    ///
    /// # Errors
    /// If a tool is declared twice, or no checker can be made of its schema.
    pub fn checked_by<C>(
        tools: Vec<Tool>,
        checker: impl Fn(&Value) -> std::result::Result<C, String>,
    ) -> Result<Hook>
    where
        C: Fn(&Value) -> Vec<String> + Send + Sync + 'static,
    {
        checked(tools, "tools", |schema| checker(schema))
    }
}

/// Makes a hook with the built-in checker. `place` is that of the tools, for errors.
pub(super) fn by_schema(tools: Vec<Tool>, place: &str) -> Result<Hook> {
    checked(tools, place, |schema| {
        let schema = Arc::clone(schema);
        Ok(move |arguments: &Value| problems(arguments, &schema))
    })
}

fn checked<C>(
    tools: Vec<Tool>,
    place: &str,
    checker: impl Fn(&Arc<Value>) -> std::result::Result<C, String>,
) -> Result<Hook>
where
    C: Fn(&Value) -> Vec<String> + Send + Sync + 'static,
{
    let names = match &*tools {
        [] => "none".to_string(),
        tools => tools.iter().map(|tool| &*tool.name).collect::<Vec<_>>().join(", "),
    };
    let mut declared = HashMap::new();
    for tool in tools {
        let made = || Arc::new(tool.json_schema().into_owned());
        let schema = tool.schema.clone().unwrap_or_else(made);
        let check = checker(&schema)
            .map_err(|reason| invalid(place, format!("the schema of `{}`: {reason}", tool.name)))?;
        if declared.insert(tool.name.clone(), (schema, check)).is_some() {
            return Err(invalid(place, format!("`{}` is declared twice", tool.name)));
        }
    }
    Ok(Hook::pre("arg_validation", move |call, _| {
        let name = &call.name;
        let Some((schema, check)) = declared.get(name) else {
            let text = format!("Unknown tool '{name}'. Available tools: {names}.");
            return Ok(Pre::Done(call.error(text)));
        };
        let arguments = fitted(call.arguments.clone(), schema);
        let problems = check(&arguments);
        if problems.is_empty() {
            return Ok(Pre::Arguments(arguments));
        }
        let problems = problems.join("\n- ");
        let text = format!("Invalid arguments for tool '{name}':\n- {problems}");
        Ok(Pre::Done(call.error(text)))
    }))
}
