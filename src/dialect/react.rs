//! ReAct: the dialect of models without tool support of their own, lines that begin with keywords.
//!
//! ```text
//! stream  := ( text | thought | call | answer )*
//! thought := "Thought:" text
//! call    := "Action:" NAME line-end ( "Action Input:" input )? | "Action:" NAME "[" text "]" | "Action:" NAME "(" json …
//! input   := json rest-of-line | fence json fence | text, up to a keyword line that ends it
//! answer  := "Final Answer:" text
//! ```
//! Each keyword means something of its own in each section. Observation and Question belong to the program: a model
//! that writes one invents it. No shape: a keyword opens a part, and the next keyword ends it.
//! [`react`](crate::family::react) reads the lines.

use std::borrow::Cow::Borrowed;

use super::facts::Facts;
use super::shape::texts;
use super::template::{CALL, CallForm, Limits, Placeholders, PromptForm, Template, results, stop};
use crate::options::CallsInReasoning;

/// The dialect `react`.
pub(crate) fn react() -> Facts {
    Facts {
        calls_in_reasoning: CallsInReasoning::Ignore,
        no_input: Some(texts(&["None", "N/A", "null", "no input", "no arguments", "()"])),
        ..Facts::new(
            "react",
            "Thought, Action, Action Input and Final Answer lines, for any model",
            template(),
        )
    }
}

/// The template of written calls, results and prompt.
fn template() -> Template {
    Template {
        prompt: PromptForm {
            text: Borrowed(
                "\
You have tools to work with. They are listed here, one a paragraph:

{tools}

Work in steps. A step that uses a tool is written like this:

Thought: why this step is needed
{form}

Then stop and wait. The next message brings what the tool gave, after the word Observation; \
think about it, and write the next step.

{example}

When you need no more tools, end like this:

Thought: I have what I need
Final Answer: the complete answer for the user

Rules:
- {limit}
- Write nothing after the Action Input.
- Never write an Observation yourself: you do not know it before it comes.
- These tools exist, and no others: {names}.
- Action Input is one valid JSON object that fits the schema of the tool, {} if the tool has no \
parameters.",
            ),
            tool: Borrowed("{name}\n{description}\nParameters (JSON Schema): {schema}"),
            between: Borrowed("\n\n"),
            example: Borrowed("For example:\n{call}"),
            placeholders: Placeholders {
                name: Borrowed("the name of one tool, exactly as listed"),
                params: Borrowed(&[(Borrowed("parameter"), Borrowed("value"))]),
            },
            limits: Limits {
                one: Borrowed("One tool per reply: each reply holds one Action at most."),
                some: Borrowed(
                    "At most {most} Actions in a reply, each with its own Action Input.",
                ),
                any: Borrowed("A reply may hold several Actions, each with its own Action Input."),
            },
        },
        call: CallForm {
            open: Borrowed("Action: {name}\nAction Input: "),
            close: Borrowed("\n"),
            ..CALL
        },
        result: results("Observation: {content}\n", "Observation: ERROR: {content}\n", ""),
        stop: stop(&[], &[Borrowed("\nObservation:"), Borrowed("\nObservation")]),
    }
}

#[cfg(all(test, feature = "json"))]
mod tests {
    use super::template;
    use crate::dialect::template::{ArgumentsForm, fill};

    fn filled(template: &str) -> String {
        fill(template, |hole| match hole {
            "name" => Some("search".into()),
            "content" => Some("two\nlines".into()),
            _ => None,
        })
    }

    #[test]
    fn calls_and_results_are_lines() {
        let react = template();
        let call = &react.call;
        assert_eq!(filled(&call.open), "Action: search\nAction Input: ");
        assert_eq!((&call.arguments, &*call.close), (&ArgumentsForm::Json, "\n"));
        assert_eq!(filled(&react.result.ok), "Observation: two\nlines\n");
        assert_eq!(filled(&react.result.error), "Observation: ERROR: two\nlines\n");
        assert_eq!(*react.stop.invented, ["\nObservation:", "\nObservation"]);
    }

    #[test]
    fn the_prompt_says_it_all_in_order() {
        let react = template();
        let prompt = &*react.prompt.text;
        let parts = [
            "{tools}",
            "Thought: why this step is needed\n{form}\n",
            "Then stop and wait",
            "Observation",
            "Thought: I have what I need\nFinal Answer: the complete answer for the user\n",
            "{limit}",
            "nothing after the Action Input",
            "Never write an Observation",
            "{names}",
            "one valid JSON object",
            "{} if the tool has no parameters",
        ];
        let mut at = 0;
        for part in parts {
            let found = prompt[at..].find(part);
            at += found.unwrap_or_else(|| panic!("{part} after {}", &prompt[..at])) + part.len();
        }
        assert!(react.prompt.limits.one.contains("One tool per reply"));
        assert!(react.prompt.tool.contains("{schema}"));
    }
}
