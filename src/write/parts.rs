//! The parts of a message's content, as three protocols and the hosts of MCP store them: texts, attachments,
//! and parts that a chat does not have.

use serde_json::{Map, Value, json};

use crate::options::Attachments;

/// The words of a part, for a model of text.
pub(super) enum Piece {
    Text(String),
    /// The words for a part that is not text.
    Words(String),
    Attached(Attached),
    /// A kind of part that only the model's server may know.
    Other(Value),
}

/// An image or a document.
pub(super) struct Attached {
    words: String,
    /// The part, as a chat attaches it, if it can.
    part: Option<Value>,
    is_image: bool,
    /// The part came in a chat's own words.
    own: bool,
}

impl Attached {
    /// Takes the part, if it goes on from the result of a tool.
    pub fn of_result(&mut self, how: Attachments) -> Option<Value> {
        let goes_on = match how {
            Attachments::None => false,
            Attachments::Images => self.is_image,
            Attachments::All => true,
        };
        self.part.take().filter(|_| goes_on)
    }

    /// Takes the part, if it goes on from a user's message.
    pub fn of_user(&mut self, how: Attachments) -> Option<Value> {
        let own = self.own && how != Attachments::None;
        if own { self.part.take() } else { self.of_result(how) }
    }
}

/// A content made of texts, words and parts of a chat.
#[derive(Default)]
pub(super) struct Content {
    parts: Vec<Value>,
    after_words: bool,
}

impl Content {
    pub fn is_empty(&self) -> bool {
        self.parts.is_empty()
    }

    pub fn text(&mut self, text: &str) {
        let broken = text.starts_with(['\n', '\r']) || text.is_empty();
        let between = if std::mem::take(&mut self.after_words) && !broken { "\n" } else { "" };
        self.parts.push(json!({"type": "text", "text": ([between, text].concat())}));
    }

    /// Adds words on lines of their own.
    pub fn words(&mut self, words: &str) {
        let last = self.parts.last().and_then(|part| part["text"].as_str());
        let on_a_line = last.is_none_or(|text| text.is_empty() || text.ends_with('\n'));
        let between = if on_a_line { "" } else { "\n" };
        self.parts.push(json!({"type": "text", "text": ([between, words].concat())}));
        self.after_words = true;
    }

    pub fn attached(&mut self, attached: &Attached) {
        self.words(&attached.words);
    }

    pub fn other(&mut self, part: Value) {
        self.after_words = false;
        self.parts.push(part);
    }

    /// Returns a text, if all parts are texts, or else the parts.
    pub fn into_value(self) -> Value {
        let text = |part: &Value| Some(part["text"].as_str()?.to_string());
        let texts: Option<Vec<String>> = self.parts.iter().map(text).collect();
        texts.map_or_else(|| self.parts.into(), |texts| texts.concat().into())
    }
}

/// Returns the pieces of a content: of a text, of a list of parts, or of any other stored value.
pub(super) fn pieces(content: &Value) -> Vec<Piece> {
    let mut found = Vec::new();
    match content {
        Value::Null => {}
        Value::String(text) => found.push(Piece::Text(text.clone())),
        Value::Array(parts) => parts.iter().for_each(|part| piece(part, &mut found)),
        part if part["type"].is_string() => piece(part, &mut found),
        other => found.push(Piece::Text(other.to_string())),
    }
    found
}

/// Whether a chat has parts of this kind, so that a server may take them from a user as they are.
pub(super) fn is_of_a_chat(part: &Value) -> bool {
    let foreign = [
        "input_text",
        "output_text",
        "summary_text",
        "refusal",
        "input_image",
        "computer_screenshot",
        "image",
        "document",
        "input_file",
        "resource",
        "resource_link",
        "tool_reference",
        "search_result",
        "container_upload",
    ];
    part["type"].as_str().is_some_and(|kind| !foreign.contains(&kind))
}

fn piece(part: &Value, found: &mut Vec<Piece>) {
    let text = |key: &str| Piece::Text(part[key].as_str().unwrap_or_default().to_string());
    found.push(match part["type"].as_str() {
        Some("text" | "input_text" | "output_text" | "summary_text") => text("text"),
        Some("refusal") => text("refusal"),
        Some("image" | "image_url" | "input_image" | "computer_screenshot") => image(part),
        Some("document") => return document(part, found),
        Some("input_file") => {
            let name = [&part["filename"], &part["file_url"], &part["file_id"]];
            let file = json!({"filename": part["filename"], "file_data": part["file_data"]});
            let data = part["file_data"].is_string();
            file_part(name, data.then(|| json!({"type": "file", "file": file})), false)
        }
        Some("file") => {
            let file = &part["file"];
            file_part([&file["filename"], &file["file_id"], &Value::Null], Some(part.clone()), true)
        }
        Some("resource") if part["resource"]["text"].is_string() => {
            Piece::Text(part["resource"]["text"].as_str().unwrap_or_default().to_string())
        }
        Some("resource") => file_part([&part["resource"]["uri"]; 3], None, false),
        Some("resource_link") => {
            file_part([&part["title"], &part["name"], &part["uri"]], None, false)
        }
        Some("tool_reference") => Piece::Words(in_brackets("tool", part["tool_name"].as_str())),
        Some("search_result") => {
            for key in ["title", "source"] {
                found.extend(part[key].as_str().map(|text| Piece::Words(text.to_string())));
            }
            return found.extend(pieces(&part["content"]));
        }
        Some("container_upload") => file_part([&part["file_id"]; 3], None, false),
        Some(_) => Piece::Other(part.clone()),
        None => match part {
            Value::String(text) => Piece::Text(text.clone()),
            _ if part["text"].is_string() => text("text"),
            _ => Piece::Text(part.to_string()),
        },
    });
}

fn image(part: &Value) -> Piece {
    let source = &part["source"];
    let url = [&part["image_url"], &part["image_url"]["url"], &source["url"]];
    let url = url.into_iter().find_map(Value::as_str).map(String::from).or_else(|| {
        let data = source["data"].as_str().or_else(|| part["data"].as_str())?;
        let kind = source["media_type"].as_str().or_else(|| part["mimeType"].as_str());
        Some(format!("data:{};base64,{data}", kind.unwrap_or("image/png")))
    });
    let own = part["type"] == "image_url" && part["image_url"].is_object();
    let written = |url| json!({"type": "image_url", "image_url": {"url": url}});
    let part = if own { Some(part.clone()) } else { url.map(written) };
    Piece::Attached(Attached { words: "[image]".to_string(), part, is_image: true, own })
}

/// Reads a document of Anthropic's, which may be text.
fn document(part: &Value, found: &mut Vec<Piece>) {
    let source = &part["source"];
    let title = [&part["title"], &source["url"], &source["file_id"]];
    let is_text = source["type"] == "text" || source["type"] == "content";
    if !is_text {
        let kind = source["media_type"].as_str().unwrap_or("application/pdf");
        let data = source["data"].as_str().map(|data| format!("data:{kind};base64,{data}"));
        let file = |data| {
            let name = part["title"].as_str().unwrap_or("document");
            json!({"type": "file", "file": {"filename": name, "file_data": data}})
        };
        return found.push(file_part(title, data.map(file), false));
    }
    if let Some(title) = part["title"].as_str() {
        found.push(Piece::Words(in_brackets("document", Some(title))));
    }
    let content = if source["type"] == "text" { &source["data"] } else { &source["content"] };
    found.extend(pieces(content));
}

fn file_part(names: [&Value; 3], part: Option<Value>, own: bool) -> Piece {
    let name = names.into_iter().find_map(Value::as_str);
    let words = in_brackets("document", name);
    Piece::Attached(Attached { words, part, is_image: false, own })
}

fn in_brackets(kind: &str, what: Option<&str>) -> String {
    what.map_or_else(|| format!("[{kind}]"), |what| format!("[{kind}: {what}]"))
}

/// Members that mean nothing to a model: names and states, data that only its writer can read, and schemas of tools that it does
/// not have.
const MUTE: &[&str] = &[
    "type",
    "id",
    "call_id",
    "tool_use_id",
    "status",
    "role",
    "tools",
    "cache_control",
    "caller",
    "signature",
];

/// The longest text in words, in bytes.
const LONGEST: usize = 2000;

/// Returns the readable texts of an item or part of an unknown kind.
pub(super) fn words(item: &Value) -> String {
    let kind = item["type"].as_str().unwrap_or("item");
    match readable(item) {
        Value::Object(members) if members.is_empty() => in_brackets(kind, None),
        said => in_brackets(kind, Some(&said.to_string())),
    }
}

fn readable(value: &Value) -> Value {
    match value {
        Value::Object(members) => {
            let says = |(key, value): &(&String, &Value)| {
                !MUTE.contains(&key.as_str()) && !key.starts_with("encrypted") && !value.is_null()
            };
            let members = members.iter().filter(says);
            members.map(|(key, value)| (key.clone(), readable(value))).collect::<Map<_, _>>().into()
        }
        Value::Array(list) => list.iter().map(readable).collect(),
        Value::String(text) if text.len() > LONGEST => {
            let end = (0..=LONGEST).rev().find(|at| text.is_char_boundary(*at));
            let begin = &text[..end.unwrap_or(0)];
            // Data in letters means nothing.
            let is_data = !begin.contains(char::is_whitespace);
            [if is_data { "" } else { begin }, "…"].concat().into()
        }
        other => other.clone(),
    }
}
