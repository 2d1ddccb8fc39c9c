//! Arguments that fit the tool's schema.

use std::collections::HashMap;
use std::fmt::Write;
use std::sync::Arc;

use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::call::{Call, Report};
use super::fit;
use super::hook::{Hook, HookError, Pre, PreHook};
use super::schema::{Problem, Schema};
use crate::policy::config::{PolicyError, Result};
use crate::tool::Tool;

/// A hook that checks a call's arguments by its tool's schema. First they are coerced where that
/// loses nothing (`"5"` where an integer is wanted); later hooks and the tool see the result. Then
/// the model is told all that is wrong with them, at once.
///
/// ```
/// use serde_json::json;
/// use toolstream::Tool;
/// use toolstream::policy::Hooks;
/// use toolstream::policy::hooks::{ArgValidation, Call};
///
/// let tool = Tool::from_json(&json!({"name": "show", "parameters": {
///     "type": "object",
///     "properties": {"path": {"type": "string"}, "line": {"type": "integer", "minimum": 1}},
///     "required": ["path"],
/// }}))?;
/// let hooks = Hooks::new().with(ArgValidation::new(vec![tool])?);
/// let show = |arguments| {
///     let call = Call::new("show", arguments);
///     hooks.execute(call, |call| call.ok(call.arguments().clone())).result.content
/// };
/// assert_eq!(show(json!({"path": "a.rs", "line": "7"})), json!({"path": "a.rs", "line": 7}));
/// assert_eq!(
///     show(json!({"line": 0})),
///     "Invalid arguments for tool 'show':\n- path: is required\n- line: must be at least 1",
/// );
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct ArgValidation {
    tools: HashMap<String, Declared>,
    /// The names in the order of the declaration, joined.
    names: String,
    unknown: UnknownTools,
}

/// What becomes of calls of tools that are not declared.
///
/// For [`ArgValidation::unknown`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum UnknownTools {
    /// They are blocked, and the model reads which tools there are.
    #[default]
    Block,
    /// They run, unchecked.
    Allow,
}

#[derive(Clone, Debug)]
struct Declared {
    /// By which the arguments are coerced.
    json: Arc<Value>,
    /// By which they are checked.
    schema: Arc<dyn Schema>,
}

impl ArgValidation {
    /// Checks by the built-in checker. A tool without a schema is checked by its
    /// [`params`](Tool::params): their types, and which are required.
    ///
    /// # Errors
    /// [`PolicyError::Config`] if a tool is declared twice.
    pub fn new(tools: Vec<Tool>) -> Result<Self> {
        ArgValidation::checked_by(tools, |json| Ok(Arc::clone(json) as Arc<dyn Schema>))
    }

    /// Checks by all of JSON Schema.
    ///
    /// # Errors
    /// [`PolicyError::Config`] if a tool is declared twice, or its schema is none.
    #[cfg(feature = "jsonschema")]
    pub fn json_schema(tools: Vec<Tool>) -> Result<Self> {
        ArgValidation::checked_by(tools, super::json_schema::compile)
    }

    /// Checks by a checker of your own, made of each tool's schema.
    ///
    /// # Errors
    /// [`PolicyError::Config`] if a tool is declared twice, or the checker does not take its schema.
    pub fn checked_by(
        tools: Vec<Tool>,
        checker: impl Fn(&Arc<Value>) -> std::result::Result<Arc<dyn Schema>, String>,
    ) -> Result<Self> {
        let names = tools.iter().map(|tool| &*tool.name).collect::<Vec<_>>().join(", ");
        let mut declared = HashMap::new();
        for tool in tools {
            let wrong = |what: String| PolicyError::config("tools", what);
            let json = tool.schema.clone().unwrap_or_else(|| Arc::new(params_schema(&tool)));
            let schema = checker(&json)
                .map_err(|reason| wrong(format!("the schema of `{}`: {reason}", tool.name)))?;
            if declared.insert(tool.name.clone(), Declared { json, schema }).is_some() {
                return Err(wrong(format!("`{}` is declared twice", tool.name)));
            }
        }
        Ok(ArgValidation { tools: declared, names, unknown: UnknownTools::default() })
    }

    /// What becomes of calls of tools that are not declared; default: blocked.
    #[must_use]
    pub fn unknown(mut self, unknown: UnknownTools) -> Self {
        self.unknown = unknown;
        self
    }
}

impl PreHook for ArgValidation {
    fn before(&self, call: &Call, _: &mut Report) -> std::result::Result<Pre, HookError> {
        let name = call.name();
        let Some(tool) = self.tools.get(name) else {
            return Ok(match self.unknown {
                UnknownTools::Allow => Pre::Go,
                UnknownTools::Block => {
                    let names = if self.names.is_empty() { "none" } else { &self.names };
                    Pre::Block(format!("Unknown tool '{name}'. Available tools: {names}."))
                }
            });
        };
        let fitted = fit::fit(call.arguments(), &tool.json);
        let problems = tool.schema.problems(fitted.as_ref().unwrap_or(call.arguments()));
        Ok(match (problems.is_empty(), fitted) {
            (false, _) => Pre::Block(message(name, &problems)),
            (true, Some(arguments)) => Pre::Arguments(arguments),
            (true, None) => Pre::Go,
        })
    }
}

impl From<ArgValidation> for Hook {
    fn from(validation: ArgValidation) -> Self {
        Hook::pre("arg_validation", validation)
    }
}

fn message(tool: &str, problems: &[Problem]) -> String {
    let mut message = format!("Invalid arguments for tool '{tool}':");
    for problem in problems {
        // A String takes everything.
        let _ = write!(message, "\n- {problem}");
    }
    message
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
