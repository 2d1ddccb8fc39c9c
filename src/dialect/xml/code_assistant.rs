//! `code-assistant`: prefixed tags, of the tool of that name.
//!
//! ```text
//! call  := "<tool:" NAME ">" junk ( param junk )* "</tool:" NAME ">"
//! param := "<param:" KEY ">" value "</param:" KEY ">"
//! ```

use super::in_words;
use crate::dialect::facts::Facts;
use crate::dialect::shape::Shape;
use crate::dialect::template::{ArgumentsForm, LineBreaks, PromptForm, Template};
use crate::options::CallsInReasoning;

const PROMPT: PromptForm = in_words(
    "\
# Tools

You have tools to do your work with. {limit}

## How a call is written

{form}

- Instead of tool_name and the names of the parameters, write the names from the list below, \
exactly as they stand there.
- Write values as they are: no escapes, no entities. One line stands right between its tags, \
several lines stand on lines of their own. Objects are written as JSON.
- To give a list, repeat the parameter, one element each, under the singular of its name: a list \
called `names` is given as one `name` after the other.
- Give every required parameter. Leave out an optional one that you do not need.
- Between the tags of a call there is nothing but white space, and no code fence around it.

## The tools

{tools}",
);

/// The dialect `code-assistant`.
pub(in crate::dialect) fn code_assistant() -> Facts {
    let shape = Shape {
        name: "code-assistant".into(),
        about: "prefixed tags: <tool:read_file><param:path>…</param:path></tool:read_file>".into(),
        call: "<tool:{name}>\n{arguments}</tool:{name}>".into(),
        argument: "<param:{key}>\n{value}\n</param:{key}>\n".into(),
        calls_in_reasoning: Some(CallsInReasoning::Ignore),
        prompt: Some(PROMPT),
        result: "{content}".into(),
        error: "Tool error: {name} failed: {line} - correct the call, or the cause, and try again."
            .into(),
        results: "{result}\n\n{result}".into(),
        ..Shape::default()
    };
    let mut facts = shape.facts();
    if let ArgumentsForm::Params(param) = &mut facts.template.call.arguments {
        param.line_breaks = LineBreaks::WithLines;
    }
    facts
}

/// The template of written calls, results and prompt.
pub(in crate::dialect) fn template() -> Template {
    code_assistant().template
}
