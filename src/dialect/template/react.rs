//! How `react` is written.

use std::borrow::Cow::Borrowed;

use super::{CALL, CallForm, Limits, Placeholders, PromptForm, ResultForm, StopForm, Template};

/// Of `react`.
pub(crate) const REACT: Template = Template {
    prompt: PromptForm {
        text: Borrowed(
            "\
You have tools to work with. They are listed here, one a paragraph:

{tools}

Work in steps. A step that uses a tool is written like this:

Thought: why this step is needed
{form}

Then stop and wait. The next message brings what the tool gave, behind the word Observation; \
think about it, and write the next step.

{example}

When you need no more tools, end like this:

Thought: I have what I need
Final Answer: the complete answer for the user

Rules:
- {limit}
- Write nothing behind the Action Input.
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
            some: Borrowed("At most {most} Actions in a reply, each with its own Action Input."),
            any: Borrowed("A reply may hold several Actions, each with its own Action Input."),
        },
    },
    call: CallForm {
        open: Borrowed("Action: {name}\nAction Input: "),
        close: Borrowed("\n"),
        ..CALL
    },
    result: ResultForm {
        open: Borrowed(""),
        ok: Borrowed("Observation: {content}\n"),
        error: Borrowed("Observation: ERROR: {content}\n"),
        between: Borrowed(""),
        close: Borrowed(""),
    },
    stop: StopForm {
        after_call: Borrowed(&[]),
        invented: Borrowed(&[Borrowed("\nObservation:"), Borrowed("\nObservation")]),
    },
};

#[cfg(test)]
mod tests {
    use super::REACT;
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
        let call = &REACT.call;
        assert_eq!(filled(&call.open), "Action: search\nAction Input: ");
        assert_eq!((&call.arguments, &*call.close), (&ArgumentsForm::Json, "\n"));
        assert_eq!(filled(&REACT.result.ok), "Observation: two\nlines\n");
        assert_eq!(filled(&REACT.result.error), "Observation: ERROR: two\nlines\n");
        assert_eq!(*REACT.stop.invented, ["\nObservation:", "\nObservation"]);
    }

    #[test]
    fn the_prompt_says_it_all_in_order() {
        let prompt = &*REACT.prompt.text;
        let parts = [
            "{tools}",
            "Thought: why this step is needed\n{form}\n",
            "Then stop and wait",
            "Observation",
            "Thought: I have what I need\nFinal Answer: the complete answer for the user\n",
            "{limit}",
            "nothing behind the Action Input",
            "Never write an Observation",
            "{names}",
            "one valid JSON object",
            "{} if the tool has no parameters",
        ];
        let mut at = 0;
        for part in parts {
            let found = prompt[at..].find(part);
            at += found.unwrap_or_else(|| panic!("{part} behind {}", &prompt[..at])) + part.len();
        }
        assert!(REACT.prompt.limits.one.contains("One tool per reply"));
        assert!(REACT.prompt.tool.contains("{schema}"));
    }
}
