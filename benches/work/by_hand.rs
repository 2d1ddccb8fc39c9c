//! The lower bound of small calls, headers and lines: for each of seven dialects a parser by hand, for it alone.
//!
//! Each gives the same events as toolstream, at every cut, but only for calls of declared tools as the model writes
//! them. No closer is confirmed, and nothing forgotten or doubled is noticed. JSON is brackets and quotes, ids are
//! taken as they are, the tools are fixed (names are compared one by one), and nothing has a bound.
//!
//! ```text
//! cline        := ( text | "<" TOOL ">" ( ws "<" KEY ">" value "</" KEY ">" )* ws "</" TOOL ">" )*
//! qwen3-coder  := ( text | "<tool_call>" ws "<function=" TOOL ">" ( ws "<parameter=" KEY ">" value "</parameter>" )*
//!                   ws "</function>" ws "</tool_call>" )*
//! hermes       := ( text | "<tool_call>" ws "{\"name\": \"" TOOL "\", \"arguments\": " object "}" ws "</tool_call>" )*
//! kimi-k2      := ( text | SECTION CALL "functions." TOOL ":" digits ARGUMENT object CALL_END SECTION_END )*
//! glm          := ( text | "<tool_call>" TOOL "\n"
//!                   ( ws "<arg_key>" KEY "</arg_key>" ws "<arg_value>" value "</arg_value>" )* ws "</tool_call>" )*
//! harmony      := ( ws ( "<|channel|>final<|message|>" text | CALL TOOL COMMENTARY object "<|call|>" ) )*
//! react        := ( text | "Action: " TOOL "\n" "Action Input:" ws object "\n" )*     each at a line's start
//! ```

use memchr::{memchr, memchr2, memchr3};
use toolstream::{Dialect, Event, Parser, Status, ToolUse};

/// The tools of `inputs::parser`.
const TOOLS: [(&str, &[&str]); 2] =
    [("read_file", &["path"]), ("write_to_file", &["path", "content", "diff"])];

/// The text in `harmony`'s header before and behind the tool of a call.
const CALL: &str = "<|start|>assistant to=functions.";
const COMMENTARY: &str = "<|channel|>commentary json<|message|>";

/// A place in the grammar. It reads the rest of a chunk, or waits for the next chunk if it cannot decide yet.
#[derive(Clone, Copy)]
enum State {
    Text,
    /// After the opener of a call's block, before its name.
    Block,
    /// Before a parameter or the call's end.
    Call,
    /// Behind a parameter's opener, where a line feed is framing.
    Framed(&'static str),
    /// Between a parameter's key and its value, if each has a tag of its own.
    Keyed(&'static str),
    Value(&'static str),
    /// Between `"name": …` and the arguments.
    Named,
    /// In the arguments, at this depth, perhaps in a string.
    Object(u32, bool),
    /// Behind the arguments or the last parameter.
    Closing,
    Closed,
}

/// The state of an expected text.
enum Found {
    /// The text stands here, up to this byte.
    Whole(usize),
    /// The text may stand here: more must come.
    Half,
    No,
}

/// The receiver of the events.
pub type Take<'a> = &'a mut dyn FnMut(Event<&str>);

/// Parser by hand, for one of the seven dialects.
pub struct ByHand {
    step: fn(&mut ByHand, &str, Take<'_>) -> usize,
    state: State,
    tool: usize,
    calls: usize,
    /// The stream offset of the next byte.
    at: usize,
    /// The stream offset of the call or its block.
    opened: usize,
    line_begins: bool,
    held: String,
}

impl ByHand {
    /// Returns the parser for this dialect, if there is one.
    pub fn of(dialect: &Dialect) -> Option<ByHand> {
        let step = match dialect.name() {
            "cline" => ByHand::cline,
            "qwen3-coder" => ByHand::qwen3_coder,
            "hermes" => ByHand::hermes,
            "kimi-k2" => ByHand::kimi_k2,
            "glm" => ByHand::glm,
            "harmony" => ByHand::harmony,
            "react" => ByHand::react,
            _ => return None,
        };
        let state = if dialect.name() == "harmony" { State::Block } else { State::Text };
        let held = String::new();
        Some(ByHand { step, state, tool: 0, calls: 0, at: 0, opened: 0, line_begins: true, held })
    }

    pub fn feed(&mut self, chunk: &str, take: Take<'_>) {
        if self.held.is_empty() {
            let read = self.read(chunk, take);
            self.held.push_str(&chunk[read..]);
            return;
        }
        let mut text = std::mem::take(&mut self.held);
        text.push_str(chunk);
        let read = self.read(&text, take);
        text.drain(..read);
        self.held = text;
    }

    /// Reads a message. Returns the bytes in its slices.
    pub fn total(&mut self, text: &str, size: usize) -> usize {
        let mut total = 0;
        for piece in super::pieces(text, size) {
            self.feed(piece, &mut |event| total += event.slice().map_or(0, |slice| slice.len()));
        }
        total
    }

    /// Takes the decided text. The rest may be half of a marker.
    fn read(&mut self, text: &str, take: Take<'_>) -> usize {
        let mut read = 0;
        while read < text.len() {
            let step = (self.step)(self, &text[read..], take);
            if step == 0 {
                break;
            }
            self.line_begins = text.as_bytes()[read + step - 1] == b'\n';
            read += step;
            self.at += step;
        }
        read
    }

    fn cline(&mut self, rest: &str, take: Take<'_>) -> usize {
        match self.state {
            State::Text => match text_before(rest, b'<', take) {
                0 => self.tool_tag(rest, ["<", ">"], take),
                text => text,
            },
            State::Framed(key) => self.framed(rest, key, take),
            State::Value(key) => self.value(rest, ["</", key, ">"], take),
            _ => {
                let closer = ["</", TOOLS[self.tool].0, ">"];
                self.between_keys(rest, "<", closer, State::Text, take)
            }
        }
    }

    fn qwen3_coder(&mut self, rest: &str, take: Take<'_>) -> usize {
        match self.state {
            State::Text => match text_before(rest, b'<', take) {
                0 => self.begins(rest, "<tool_call>", State::Block, take),
                text => text,
            },
            State::Block => match white(rest, take) {
                0 => self.tool_tag(rest, ["<function=", ">"], take),
                white => white,
            },
            State::Framed(key) => self.framed(rest, key, take),
            State::Value(_) => self.value(rest, ["</parameter>", "", ""], take),
            State::Closed => match white(rest, take) {
                0 => self.ends(rest, ["</tool_call>", "", ""], State::Text, take),
                white => white,
            },
            _ => {
                let closer = ["</function>", "", ""];
                self.between_keys(rest, "<parameter=", closer, State::Closed, take)
            }
        }
    }

    fn hermes(&mut self, rest: &str, take: Take<'_>) -> usize {
        match self.state {
            State::Text => match text_before(rest, b'<', take) {
                0 => self.begins(rest, "<tool_call>", State::Block, take),
                text => text,
            },
            State::Block if rest.starts_with(char::is_whitespace) => white(rest, take),
            State::Block => self.named(rest, ["{\"name\": \"", "\""], take),
            State::Named => match found(rest, [", \"arguments\": ", "", ""]) {
                Found::Whole(end) => {
                    take(Event::Markup(&rest[..end]));
                    self.state = State::Object(0, false);
                    end
                }
                _ => 0,
            },
            State::Object(depth, quoted) => self.object(rest, depth, quoted, take),
            State::Closing => {
                take(Event::Markup(&rest[..1]));
                end(take);
                self.state = State::Closed;
                1
            }
            _ => match white(rest, take) {
                0 => self.ends(rest, ["</tool_call>", "", ""], State::Text, take),
                white => white,
            },
        }
    }

    fn kimi_k2(&mut self, rest: &str, take: Take<'_>) -> usize {
        match self.state {
            State::Text => match text_before(rest, b'<', take) {
                0 => self.begins(rest, "<|tool_calls_section_begin|>", State::Block, take),
                text => text,
            },
            State::Block => self.begins(rest, "<|tool_call_begin|>", State::Named, take),
            State::Named => self.named(rest, ["functions.", "<|tool_call_argument_begin|>"], take),
            State::Object(depth, quoted) => self.object(rest, depth, quoted, take),
            State::Closing => self.ends_call(rest, "<|tool_call_end|>", State::Closed, take),
            _ => self.ends(rest, ["<|tool_calls_section_end|>", "", ""], State::Text, take),
        }
    }

    fn glm(&mut self, rest: &str, take: Take<'_>) -> usize {
        match self.state {
            State::Text => match text_before(rest, b'<', take) {
                0 => self.tool_tag(rest, ["<tool_call>", "\n"], take),
                text => text,
            },
            State::Keyed(key) => match white(rest, take) {
                0 => match found(rest, ["<arg_value>", "", ""]) {
                    Found::Whole(end) => {
                        take(Event::ToolUse(ToolUse::ParamStart { name: key, hint: None }));
                        take(Event::Markup(&rest[..end]));
                        self.state = State::Value(key);
                        end
                    }
                    _ => 0,
                },
                white => white,
            },
            State::Value(_) => self.plain_value(rest, "</arg_value>", take),
            _ => match white(rest, take) {
                0 if rest.starts_with("</") => {
                    let whole = self.ends(rest, ["</tool_call>", "", ""], State::Text, take);
                    if whole > 0 {
                        end(take)
                    }
                    whole
                }
                0 => self.keyed(rest, take),
                white => white,
            },
        }
    }

    fn harmony(&mut self, rest: &str, take: Take<'_>) -> usize {
        match self.state {
            State::Text => match text_before(rest, b'<', take) {
                0 => {
                    take(Event::TextContent(&rest[..1]));
                    1
                }
                text => text,
            },
            State::Object(depth, quoted) => self.object(rest, depth, quoted, take),
            State::Closing => self.ends_call(rest, "<|call|>", State::Block, take),
            _ => match white(rest, take) {
                0 => self.header(rest, take),
                white => white,
            },
        }
    }

    fn react(&mut self, rest: &str, take: Take<'_>) -> usize {
        match self.state {
            State::Text if self.line_begins => match self.tool_line(rest, take) {
                Found::Whole(end) => end,
                Found::Half => 0,
                Found::No => line(rest, take),
            },
            State::Text => line(rest, take),
            State::Call => self.begins(rest, "Action Input:", State::Named, take),
            State::Named => match white(rest, take) {
                0 => {
                    self.state = State::Object(0, false);
                    self.object(rest, 0, false, take)
                }
                white => white,
            },
            State::Object(depth, quoted) => self.object(rest, depth, quoted, take),
            _ => {
                end(take);
                self.state = State::Text;
                self.ends(rest, ["\n", "", ""], State::Text, take)
            }
        }
    }

    /// Reads the header before an answer or a call.
    fn header(&mut self, rest: &str, take: Take<'_>) -> usize {
        match found(rest, ["<|channel|>final<|message|>", "", ""]) {
            Found::Whole(end) => {
                take(Event::Markup(&rest[..end]));
                self.state = State::Text;
                return end;
            }
            Found::Half => return 0,
            Found::No => {}
        }
        for (tool, (name, _)) in TOOLS.iter().enumerate() {
            if let Found::Whole(end) = found(rest, [CALL, name, COMMENTARY]) {
                let (start, header) = rest[..end].split_at("<|start|>".len());
                take(Event::Markup(start));
                self.opened = self.at + start.len();
                self.start(tool, None, take);
                take(Event::Markup(header));
                self.state = State::Object(0, false);
                return end;
            }
        }
        0
    }

    /// `Action: TOOL`, a line.
    fn tool_line(&mut self, rest: &str, take: Take<'_>) -> Found {
        let mut half = false;
        for (tool, (name, _)) in TOOLS.iter().enumerate() {
            match found(rest, ["Action: ", name, "\n"]) {
                Found::Whole(end) => {
                    self.opened = self.at;
                    self.start(tool, None, take);
                    take(Event::Markup(&rest[..end]));
                    return Found::Whole(end);
                }
                Found::Half => half = true,
                Found::No => {}
            }
        }
        if half { Found::Half } else { Found::No }
    }

    /// Reads a marker that must stand here, or, in text, may.
    fn begins(&mut self, rest: &str, marker: &str, then: State, take: Take<'_>) -> usize {
        let in_text = matches!(self.state, State::Text);
        match found(rest, [marker, "", ""]) {
            Found::Whole(end) => {
                if in_text {
                    self.opened = self.at;
                }
                take(Event::Markup(&rest[..end]));
                self.state = then;
                end
            }
            Found::No if in_text => {
                take(Event::TextContent(&rest[..1]));
                1
            }
            _ => 0,
        }
    }

    /// Reads a closer. Nothing else stands here.
    fn ends(&mut self, rest: &str, closer: [&str; 3], then: State, take: Take<'_>) -> usize {
        let Found::Whole(end) = found(rest, closer) else { return 0 };
        take(Event::Markup(&rest[..end]));
        self.state = then;
        end
    }

    /// Reads the closer of a call. The arguments before it are whole.
    fn ends_call(&mut self, rest: &str, closer: &str, then: State, take: Take<'_>) -> usize {
        let Found::Whole(whole) = found(rest, [closer, "", ""]) else { return 0 };
        end(take);
        take(Event::Markup(&rest[..whole]));
        self.state = then;
        whole
    }

    /// Reads the tag of a tool: a call begins.
    fn tool_tag(&mut self, rest: &str, [before, after]: [&str; 2], take: Take<'_>) -> usize {
        for (tool, (name, _)) in TOOLS.iter().enumerate() {
            match found(rest, [before, name, after]) {
                Found::Whole(end) => {
                    if matches!(self.state, State::Text) {
                        self.opened = self.at;
                    }
                    self.start(tool, None, take);
                    take(Event::Markup(&rest[..end]));
                    return end;
                }
                Found::Half => return 0,
                Found::No => {}
            }
        }
        take(Event::TextContent(&rest[..1]));
        1
    }

    /// Reads a tool's name, and the texts around it; in `kimi-k2` they have a number.
    fn named(&mut self, rest: &str, round: [&str; 2], take: Take<'_>) -> usize {
        for (tool, (name, _)) in TOOLS.iter().enumerate() {
            let Found::Whole(mut end) = found(rest, [round[0], name, ""]) else { continue };
            let is_id = round[0].ends_with('.');
            if is_id {
                let digits = rest.as_bytes()[end..].iter().skip(1);
                end += 1 + digits.take_while(|byte| byte.is_ascii_digit()).count();
            }
            let Some(Found::Whole(after)) =
                rest.get(end..).map(|rest| found(rest, [round[1], "", ""]))
            else {
                return 0;
            };
            let markup = &rest[..end + after];
            if is_id {
                self.start(tool, Some(&rest[..end]), take);
                take(Event::Markup(markup));
                self.state = State::Object(0, false);
            } else {
                take(Event::Markup(markup));
                self.start(tool, None, take);
                self.state = State::Named;
            }
            return markup.len();
        }
        0
    }

    fn start(&mut self, tool: usize, id: Option<&str>, take: Take<'_>) {
        let (index, name, at) = (self.calls, TOOLS[tool].0, self.opened);
        take(Event::ToolUse(ToolUse::Start { index, name, id, at, dialect: 0 }));
        (self.tool, self.calls, self.state) = (tool, index + 1, State::Call);
    }

    /// In a call: the next parameter, or the call's end.
    fn between_keys(
        &mut self,
        rest: &str,
        before: &str,
        closer: [&str; 3],
        then: State,
        take: Take<'_>,
    ) -> usize {
        match white(rest, take) {
            0 if rest.starts_with("</") => {
                let whole = self.ends(rest, closer, then, take);
                if whole > 0 {
                    end(take)
                }
                whole
            }
            0 => self.key(rest, before, take),
            white => white,
        }
    }

    /// The tag of a parameter.
    fn key(&mut self, rest: &str, before: &str, take: Take<'_>) -> usize {
        for name in TOOLS[self.tool].1 {
            if let Found::Whole(end) = found(rest, [before, name, ">"]) {
                take(Event::ToolUse(ToolUse::ParamStart { name, hint: None }));
                take(Event::Markup(&rest[..end]));
                self.state = State::Framed(name);
                return end;
            }
        }
        0
    }

    /// A parameter's key, in a tag of its own.
    fn keyed(&mut self, rest: &str, take: Take<'_>) -> usize {
        for name in TOOLS[self.tool].1 {
            if let Found::Whole(end) = found(rest, ["<arg_key>", name, "</arg_key>"]) {
                take(Event::Markup(&rest[..end]));
                self.state = State::Keyed(name);
                return end;
            }
        }
        0
    }

    /// A line feed before a value.
    fn framed(&mut self, rest: &str, key: &'static str, take: Take<'_>) -> usize {
        self.state = State::Value(key);
        if rest.starts_with('\n') {
            take(Event::Markup("\n"));
            return 1;
        }
        (self.step)(self, rest, take)
    }

    /// Reads a value, up to its closer, or up to a text that may become it, with a line feed before it.
    fn value(&mut self, rest: &str, closer: [&str; 3], take: Take<'_>) -> usize {
        let mut from = 0;
        while let Some(at) = memchr2(b'<', b'\n', &rest.as_bytes()[from..]).map(|at| from + at) {
            let tag = at + usize::from(rest.as_bytes()[at] == b'\n');
            match found(&rest[tag..], closer) {
                Found::Whole(end) => {
                    delta(&rest[..at], take);
                    take(Event::Markup(&rest[at..tag + end]));
                    take(Event::ToolUse(ToolUse::ParamEnd { closed: true }));
                    self.state = State::Call;
                    return tag + end;
                }
                Found::Half => {
                    delta(&rest[..at], take);
                    return at;
                }
                Found::No => from = at + 1,
            }
        }
        delta(rest, take);
        rest.len()
    }

    /// Reads a value whose line breaks are its own, up to its closer, or up to a text that may become it.
    fn plain_value(&mut self, rest: &str, closer: &str, take: Take<'_>) -> usize {
        let mut from = 0;
        while let Some(at) = memchr(b'<', &rest.as_bytes()[from..]).map(|at| from + at) {
            match found(&rest[at..], [closer, "", ""]) {
                Found::Whole(end) => {
                    delta(&rest[..at], take);
                    take(Event::Markup(&rest[at..at + end]));
                    take(Event::ToolUse(ToolUse::ParamEnd { closed: true }));
                    self.state = State::Call;
                    return at + end;
                }
                Found::Half => {
                    delta(&rest[..at], take);
                    return at;
                }
                Found::No => from = at + 1,
            }
        }
        delta(rest, take);
        rest.len()
    }

    /// Reads a JSON object, up to its closing bracket.
    fn object(&mut self, rest: &str, mut depth: u32, mut quoted: bool, take: Take<'_>) -> usize {
        let (bytes, mut at) = (rest.as_bytes(), 0);
        while at < bytes.len() {
            if quoted {
                match memchr2(b'"', b'\\', &bytes[at..]) {
                    None => at = bytes.len(),
                    Some(found) if bytes[at + found] == b'"' => {
                        (at, quoted) = (at + found + 1, false)
                    }
                    // Half an escape waits for the rest of it.
                    Some(found) if at + found + 1 == bytes.len() => {
                        at += found;
                        break;
                    }
                    Some(found) => at += found + 2,
                }
                continue;
            }
            let Some(found) = memchr3(b'"', b'{', b'}', &bytes[at..]) else {
                at = bytes.len();
                break;
            };
            at += found + 1;
            match bytes[at - 1] {
                b'"' => quoted = true,
                b'{' => depth += 1,
                _ => depth -= 1,
            }
            if depth == 0 {
                break;
            }
        }
        let ended = depth == 0 && !quoted;
        self.state = if ended { State::Closing } else { State::Object(depth, quoted) };
        if at > 0 {
            take(Event::ToolUse(ToolUse::ArgumentsDelta(&rest[..at])));
        }
        at
    }
}

/// Whether these three texts stand here, one after the other.
#[inline]
fn found(rest: &str, texts: [&str; 3]) -> Found {
    let (rest, mut at) = (rest.as_bytes(), 0);
    for text in texts {
        let (text, here) = (text.as_bytes(), &rest[at..]);
        let length = text.len().min(here.len());
        if here[..length] != text[..length] {
            return Found::No;
        }
        if length < text.len() {
            return Found::Half;
        }
        at += length;
    }
    Found::Whole(at)
}

/// Emits text up to a byte that may begin a marker.
fn text_before(rest: &str, lead: u8, take: Take<'_>) -> usize {
    let text = memchr(lead, rest.as_bytes()).unwrap_or(rest.len());
    if text > 0 {
        take(Event::TextContent(&rest[..text]));
    }
    text
}

/// Emits text up to the end of its line.
fn line(rest: &str, take: Take<'_>) -> usize {
    let end = memchr(b'\n', rest.as_bytes()).map_or(rest.len(), |at| at + 1);
    take(Event::TextContent(&rest[..end]));
    end
}

/// Emits white space that belongs to the form.
fn white(rest: &str, take: Take<'_>) -> usize {
    let white = rest.bytes().take_while(u8::is_ascii_whitespace).count();
    if white > 0 {
        take(Event::Markup(&rest[..white]));
    }
    white
}

fn delta(value: &str, take: Take<'_>) {
    if !value.is_empty() {
        take(Event::ToolUse(ToolUse::ParamDelta(value)));
    }
}

fn end(take: Take<'_>) {
    take(Event::ToolUse(ToolUse::End { status: Status::Complete, at: 0 }));
}

/// Panics unless it gives the same events as the parser, with the pieces of a text joined.
pub fn check(dialect: &Dialect, parser: &Parser, message: &str, chunk: usize) {
    let (mut ours, mut theirs) = (Joined::default(), Joined::default());
    let (mut parser, mut by_hand) =
        (parser.clone(), ByHand::of(dialect).expect("a dialect that has one"));
    for piece in super::pieces(message, chunk) {
        parser.feed_into(piece, &mut |event: Event<&str>| ours.push(&event));
        by_hand.feed(piece, &mut |event| theirs.push(&event));
    }
    parser.finish_into(&mut |event: Event<&str>| ours.push(&event));
    assert!(by_hand.held.is_empty(), "{}: nothing is left at the end", dialect.name());
    for (ours, theirs) in ours.0.iter().zip(&theirs.0) {
        assert_eq!(ours, theirs, "{}, in chunks of {chunk}", dialect.name());
    }
    assert_eq!(ours.0.len(), theirs.0.len(), "{}, in chunks of {chunk}", dialect.name());
}

/// Events: the kind of each, and its text.
#[derive(Default)]
struct Joined(Vec<(String, String)>);

impl Joined {
    fn push(&mut self, event: &Event<&str>) {
        let kind = match event {
            Event::TextContent(_) => "text",
            Event::Markup(_) => "markup",
            Event::ToolUse(ToolUse::ParamDelta(_)) => "value",
            Event::ToolUse(ToolUse::ArgumentsDelta(_)) => "arguments",
            // The parser alone knows where it ends.
            Event::ToolUse(ToolUse::End { status, .. }) => {
                return self.0.push((format!("end {status:?}"), String::new()));
            }
            event => return self.0.push((format!("{event:?}"), String::new())),
        };
        let slice = event.slice().copied().unwrap_or_default();
        match self.0.last_mut() {
            Some((last, text)) if last == kind => text.push_str(slice),
            _ => self.0.push((kind.into(), slice.into())),
        }
    }
}
