//! Gemini's stream: candidates whose content has parts.
//!
//! ```text
//! {"candidates": [{"index": 0, "finishReason": …, "content": {"parts": [part]}}]}
//! part := {text, thought?, thoughtSignature?} | {functionCall: {id?, name, args?}, thoughtSignature?}
//!       | {functionCall: {name?, partialArgs?: [piece], willContinue?}}
//!       | {inlineData | executableCode | …}
//! ```
//! A part with a signature goes back as it came: joined with another part it would be refused. Parts that are
//! neither text nor calls also go back.
//!
//! A call is whole, or it comes in pieces. All pieces but the last have `willContinue`; a piece with another
//! name also ends it.

use serde_json::{Value, json};

use super::assembler::{CallIndex, Output, Word};
use super::call::Closing;
use super::pieces::Pieces;
use super::wire;
use crate::event::{DiagnosticKind, OpaqueOf};

const SIGNATURE: &str = "thoughtSignature";

#[derive(Clone, Debug, Default)]
pub(super) struct Gemini {
    open: Option<PiecewiseCall>,
}

/// The call that comes in pieces.
#[derive(Clone, Debug)]
struct PiecewiseCall {
    call_index: CallIndex,
    pieces: Pieces,
}

impl Gemini {
    pub fn event(&mut self, event: &Value, out: &mut Output<'_>) {
        let candidates = wire::list(event, "candidates");
        for candidate in candidates.iter().filter(|candidate| wire::is_first(candidate)) {
            let content = candidate.get("content").unwrap_or(&Value::Null);
            for part in wire::list(content, "parts") {
                self.part(part, out);
            }
            match wire::filled(candidate, "finishReason") {
                None => {}
                Some("STOP") => out.set_end(Word::Normal),
                Some("MALFORMED_FUNCTION_CALL" | "UNEXPECTED_TOOL_CALL") => {
                    out.diagnostic(DiagnosticKind::MalformedCall);
                    out.set_end(Word::Normal);
                }
                Some(_) => out.set_end(Word::Cut),
            }
        }
    }

    /// Ends the stream: a call in pieces does not continue.
    pub fn finish(&mut self, out: &mut Output<'_>) {
        if let Some(mut open) = self.open.take() {
            let rest = open.pieces.cut();
            out.fragment(open.call_index, &rest);
        }
    }

    fn part(&mut self, part: &Value, out: &mut Output<'_>) {
        let signature = wire::text(part, SIGNATURE).map(|signature| json!({SIGNATURE: signature}));
        if let Some(call) = part.get("functionCall").filter(|call| call.is_object()) {
            self.call(call, signature.as_ref(), out);
        } else if part.get("text").is_none() && is_something_else(part) {
            out.opaque(OpaqueOf::Item, part);
        } else {
            prose(part, signature.as_ref(), out);
        }
    }

    /// Whether the event may be of this provider.
    pub fn is_own(event: &Value) -> bool {
        let keys = ["candidates", "promptFeedback", "usageMetadata", "modelVersion", "responseId"];
        keys.iter().any(|key| event.get(key).is_some())
    }

    fn call(&mut self, call: &Value, signature: Option<&Value>, out: &mut Output<'_>) {
        let name = wire::filled(call, "name");
        let args = wire::arguments(call, "args");
        let pieces = wire::list(call, "partialArgs");
        let goes_on = wire::flag(call, "willContinue");
        if self.is_another(name, args.is_some(), out) {
            self.end(out);
        }
        if self.open.is_none() {
            if name.is_none() && args.is_none() && pieces.is_empty() {
                // The end of a call that has ended.
                return;
            }
            let call_index = out.begin(None);
            out.owed(call_index, true);
            self.open = Some(PiecewiseCall { call_index, pieces: Pieces::default() });
        }
        let Some(open) = &mut self.open else { return };
        if let Some(signature) = signature {
            out.call_opaque(open.call_index, signature);
        }
        if let Some(id) = wire::filled(call, "id") {
            out.id(open.call_index, id);
        }
        if let Some(name) = name {
            out.name(open.call_index, name);
        }
        if let Some(args) = args.filter(|_| open.pieces.is_empty()) {
            out.fragment(open.call_index, &args);
        }
        let mut fragment = String::new();
        for piece in pieces {
            if open.pieces.add(piece, &mut fragment).is_err() {
                out.breaks(open.call_index, DiagnosticKind::MalformedArguments);
            }
        }
        out.fragment(open.call_index, &fragment);
        if !goes_on {
            self.end(out);
        }
    }

    /// Whether a part speaks of another call than the open one.
    fn is_another(&self, name: Option<&str>, whole: bool, out: &Output<'_>) -> bool {
        let (Some(name), Some(open)) = (name, &self.open) else { return false };
        out.state.call(open.call_index).name != name || whole && !open.pieces.is_empty()
    }

    fn end(&mut self, out: &mut Output<'_>) {
        if let Some(mut open) = self.open.take() {
            let rest = open.pieces.end();
            out.fragment(open.call_index, &rest);
            out.owed(open.call_index, false);
            out.close(open.call_index, Closing::Final);
        }
    }
}

/// Whether a part without text is one of a kind that we do not know: an image, a program that was run.
fn is_something_else(part: &Value) -> bool {
    let names = part.as_object().into_iter().flat_map(|part| part.keys());
    names.into_iter().any(|name| name != SIGNATURE && name != "thought")
}

fn prose(part: &Value, signature: Option<&Value>, out: &mut Output<'_>) {
    let text = wire::text(part, "text").unwrap_or_default();
    let thought = wire::flag(part, "thought");
    let of = if thought { OpaqueOf::Reasoning } else { OpaqueOf::Text };
    if signature.is_some() && !text.is_empty() {
        // Text before it without a signature is another part.
        out.opaque(of, &json!({}));
    }
    if thought {
        out.reasoning(text)
    } else {
        out.text(text)
    }
    if let Some(signature) = signature {
        out.opaque(of, signature);
    }
}
