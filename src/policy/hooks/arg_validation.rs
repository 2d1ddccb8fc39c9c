//! Arguments that fit the tool's schema.

use std::collections::HashMap;
use std::sync::Arc;

use serde_json::{Map, Value, json};

use super::built_in::UnknownTools;
use super::call::Call;
use super::fit;
use super::hook::{Hook, Pre};
use super::schema::problems;
use crate::policy::config::{Result, invalid};
use crate::tool::Tool;

/// All that is wrong with arguments, a line each.
type Check = dyn Fn(&Value) -> Vec<String> + Send + Sync;

pub(super) struct ArgValidation {
    tools: HashMap<String, Declared>,
    /// The names in the order of the declaration, joined.
    names: String,
    unknown: UnknownTools,
}

struct Declared {
    /// By which the arguments are coerced.
    schema: Arc<Value>,
    check: Box<Check>,
}

impl Hook {
    /// A hook that checks a call's arguments by its tool's schema. First they are coerced where that
    /// loses nothing (`"5"` where an integer is wanted); later hooks and the tool see the result. Then
    /// the model is told all that is wrong with them, at once. A tool without a schema is checked by its
    /// [`params`](Tool::params): their types, and which are required.
    ///
    /// It knows of JSON Schema `type`, `enum`, `const`, `anyOf`, `oneOf` (one of them fits), `minimum`,
    /// `maximum`, `items`, `properties`, `required` and `additionalProperties: false`.
    ///
    /// Calls of other tools are blocked, and the model reads which tools there are; with
    /// [`Hook::tools`] the hook sees but the tools that are named there, so that others run unchecked.
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
        Ok(ArgValidation::new(tools, UnknownTools::Block, "tools")?.hook())
    }

    /// [`Hook::arg_validation`] by all of JSON Schema.
    ///
    /// # Errors
    /// If a tool is declared twice, or its schema is none.
    #[cfg(feature = "jsonschema")]
    pub fn json_schema(tools: Vec<Tool>) -> Result<Hook> {
        Hook::checked_by(tools, super::json_schema::checker)
    }

    /// [`Hook::arg_validation`] by a checker of your own, made of each tool's schema. A checker gives all
    /// that is wrong with the arguments, a line each (`pos.line: must be integer`); nothing if they fit.
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
        let checker = |schema: &Arc<Value>| Ok(Box::new(checker(schema)?) as Box<Check>);
        Ok(ArgValidation::checked_by(tools, UnknownTools::Block, "tools", checker)?.hook())
    }
}

impl ArgValidation {
    /// By the built-in checker. `place` is where the tools stand, for errors.
    pub fn new(tools: Vec<Tool>, unknown: UnknownTools, place: &str) -> Result<Self> {
        ArgValidation::checked_by(tools, unknown, place, |schema| {
            let schema = Arc::clone(schema);
            Ok(Box::new(move |arguments: &Value| problems(arguments, &schema)))
        })
    }

    fn checked_by(
        tools: Vec<Tool>,
        unknown: UnknownTools,
        place: &str,
        checker: impl Fn(&Arc<Value>) -> std::result::Result<Box<Check>, String>,
    ) -> Result<Self> {
        let names = tools.iter().map(|tool| &*tool.name).collect::<Vec<_>>().join(", ");
        let mut declared = HashMap::new();
        for tool in tools {
            let schema = tool.schema.clone().unwrap_or_else(|| Arc::new(params_schema(&tool)));
            let check = checker(&schema).map_err(|reason| {
                invalid(place, format!("the schema of `{}`: {reason}", tool.name))
            })?;
            if declared.insert(tool.name.clone(), Declared { schema, check }).is_some() {
                return Err(invalid(place, format!("`{}` is declared twice", tool.name)));
            }
        }
        Ok(ArgValidation { tools: declared, names, unknown })
    }

    pub fn hook(self) -> Hook {
        Hook::pre("arg_validation", move |call, _| Ok(self.before(call)))
    }

    fn before(&self, call: &Call) -> Pre {
        let name = &call.name;
        let Some(tool) = self.tools.get(name) else {
            if self.unknown == UnknownTools::Allow {
                return Pre::Go;
            }
            let names = if self.names.is_empty() { "none" } else { &self.names };
            return Pre::Done(
                call.error(format!("Unknown tool '{name}'. Available tools: {names}.")),
            );
        };
        let fitted = fit::fit(&call.arguments, &tool.schema);
        let problems = (tool.check)(fitted.as_ref().unwrap_or(&call.arguments));
        if problems.is_empty() {
            return fitted.map_or(Pre::Go, Pre::Arguments);
        }
        let problems = problems.join("\n- ");
        Pre::Done(call.error(format!("Invalid arguments for tool '{name}':\n- {problems}")))
    }
}

/// The schema of a tool that was declared without one.
fn params_schema(tool: &Tool) -> Value {
    let properties: Map<String, Value> = tool
        .params
        .iter()
        .map(|param| match &*param.types {
            [] => (param.name.clone(), json!({})),
            types => {
                let types: Vec<_> = types.iter().map(|of| of.as_str()).collect();
                (param.name.clone(), json!({ "type": types }))
            }
        })
        .collect();
    let required = tool.params.iter().filter(|param| param.required);
    let required: Vec<_> = required.map(|param| &*param.name).collect();
    json!({"type": "object", "properties": properties, "required": required})
}
