//! Namespaces of tools, in which Codex declares the tools of its servers, for models that know only names.

#[cfg(feature = "json")]
use crate::options::bounds;
#[cfg(any(feature = "json", doc))]
use crate::tool::Tool;

/// Namespace in which a tool was declared: `{"type": "namespace", "name", "tools"}` in the `tools` of a request.
///
/// A model of text reads one name ([`Tool::name`]), and its client knows the call by two.
/// [`EventWriter`](crate::adapt::EventWriter) writes both, and
/// [`Parser::render_history`](crate::Parser::render_history) reads them.
///
/// ```
/// # #[cfg(feature = "json")] {
/// use serde_json::json;
/// use toolstream::Tool;
///
/// let request = json!([{"type": "namespace", "name": "mcp__mail", "description": "Your mail.",
///     "tools": [{"type": "function", "name": "send", "parameters": {"type": "object"}}]}]);
/// let (tools, _) = Tool::from_request(&request).unwrap();
/// assert_eq!(tools[0].name, "mcp__mail__send");
/// let namespace = tools[0].namespace.as_ref().unwrap();
/// assert_eq!((&*namespace.name, &*namespace.tool), ("mcp__mail", "send"));
/// # }
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Namespace {
    /// The namespace's name.
    pub name: String,
    /// The tool's name in it.
    pub tool: String,
}

/// Separator of a namespace and a name without one of their own.
#[cfg(feature = "json")]
const BETWEEN: &str = "__";

/// Returns the name under which a model knows the tool of a namespace: both names, with `__` between them unless one
/// of them has `_` there; the tool's alone if that is too long.
#[cfg(feature = "json")]
pub(crate) fn flat_name(namespace: &str, tool: &str) -> String {
    let between = if namespace.ends_with('_') || tool.starts_with('_') { "" } else { BETWEEN };
    let name = [namespace, between, tool].concat();
    if name.len() > bounds::NAME { tool.to_string() } else { name }
}

/// Returns the name under which a model knows a tool that a client names so.
#[cfg(feature = "json")]
pub(crate) fn known_name(tools: &[Tool], namespace: &str, tool: &str) -> String {
    let is_it = |known: &&Tool| {
        known.namespace.as_ref().is_some_and(|at| at.name == namespace && at.tool == tool)
    };
    let known = tools.iter().find(is_it).map(|known| known.name.clone());
    known.unwrap_or_else(|| flat_name(namespace, tool))
}

/// Gives each tool of a namespace a name that no tool before it, and none without a namespace, has.
#[cfg(feature = "json")]
pub(crate) fn make_unique(tools: &mut [Tool]) {
    for at in 0..tools.len() {
        if tools[at].namespace.is_none() {
            continue;
        }
        let is_taken = |name: &str| {
            let others = tools.iter().enumerate();
            let mut others = others.filter(|(other, tool)| *other < at || tool.namespace.is_none());
            others.any(|(_, tool)| tool.name == name)
        };
        let own = tools[at].name.clone();
        let numbered = (2..).map(|number| format!("{own}_{number}"));
        let free = std::iter::once(own.clone()).chain(numbered).find(|name| !is_taken(name));
        tools[at].name = free.unwrap_or(own);
    }
}
