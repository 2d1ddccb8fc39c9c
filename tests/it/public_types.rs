//! Every public type may move to another thread, be shared by several threads, and be used again after a panic.

use std::panic::{RefUnwindSafe, UnwindSafe};

use toolstream::adapt;
use toolstream::check::{Broken, Ended, Vector, VectorOutcome};
use toolstream::native::{Envelope, Provider, ProviderError, Reader, ReaderBuilder, Usage};
use toolstream::policy::{
    Call, CallId, CallOutcome, Choice, Decision, Guard, Hook, Hooks, Inference, Objection,
    PolicyError, Pre, Reason, Report, Request, Running, Step, ToolLoop, Turn, Validator, Verdict,
};
use toolstream::repair::{Arguments, ArgumentsError, ArgumentsErrorKind, Repair, Repairs};
use toolstream::{
    Block, BuildError, CompleteCall, Dialect, Ending, Event, IncompleteCall, JsonError, Message,
    Param, Parser, ParserBuilder, Prose, Reply, Status, Tool, ToolLimitReached, ToolUse,
    calls::{
        ArgumentsProblem, CallLimit, CallReader, IncompleteReason, NextCall, PartialCall, RawParam,
        ReadCall, RefusedCall,
    },
    diagnostic::{Cause, Diagnostic, DiagnosticKind, Marker, OpaqueOf, Refused},
    events::{Events, SharedEvents, Utf8Bytes},
    grammar::{CallGrammar, Format, ToolChoice},
    model::{ModelMatch, Route, Router, ToolFormat},
    options::{
        Attachments, CallsInReasoning, Fences, HostedCalls, LateSystem, LimitOn, Options,
        ReasoningTags, Recoveries, Required, Results, Start, TextAtCalls, Types, UnwritableCalls,
        ValueWhitespace,
    },
    reasoning::ReasoningSplitter,
    render::{CallRef, RenderError, ToolResult},
    tools::{ForeignType, Namespace, Type, TypeHint},
};

fn crosses_threads<T: Send + Sync>() {}
fn goes_to_a_thread<T: Send>() {}
fn survives_panics<T: UnwindSafe + RefUnwindSafe>() {}

macro_rules! all {
    ($check:ident: $($type:ty),* $(,)?) => { $($check::<$type>();)* };
}

#[test]
fn public_types_are_send_sync_and_unwind_safe() {
    macro_rules! values {
        ($($type:ty),* $(,)?) => {
            all!(crosses_threads: $($type),*);
            all!(survives_panics: $($type),*);
        };
    }
    values!(
        ArgumentsProblem,
        Attachments,
        Block,
        BuildError,
        CallLimit,
        CallRef<'_>,
        CallsInReasoning,
        Cause,
        CompleteCall,
        Diagnostic,
        DiagnosticKind,
        Dialect,
        ReasoningSplitter,
        Results,
        ReadCall,
        CallReader,
        Ending,
        Event<&str>,
        Event<String>,
        Event<Utf8Bytes>,
        Fences,
        Format,
        CallGrammar,
        HostedCalls,
        IncompleteCall,
        IncompleteReason,
        LateSystem,
        LimitOn,
        Marker<'_>,
        Message,
        ModelMatch,
        ForeignType,
        Namespace,
        NextCall<'_>,
        OpaqueOf,
        Options,
        Param,
        Parser,
        ParserBuilder,
        Prose,
        RawParam,
        ReasoningTags,
        Recoveries,
        Refused,
        RefusedCall,
        RenderError,
        Reply,
        Required,
        Route,
        Router,
        Start,
        Status,
        TextAtCalls,
        Tool,
        ToolChoice,
        ToolFormat,
        ToolLimitReached,
        ToolResult,
        ToolUse<&str>,
        Type,
        TypeHint,
        Types,
        UnwritableCalls,
        Utf8Bytes,
        ValueWhitespace,
    );
    // Modules.
    values!(
        adapt::Broken,
        adapt::BrokenCall,
        adapt::Calls,
        adapt::Delta<'_>,
        adapt::Deltas,
        adapt::JsonToParams<Vec<u8>>,
        adapt::OnCut,
        adapt::ParamsToJson<Vec<u8>>,
        adapt::Protocol,
        adapt::ReasoningKey,
        Arguments,
        ArgumentsError,
        ArgumentsErrorKind,
        Repair,
        Repairs,
        Broken,
        Ended,
        Vector,
        VectorOutcome,
        Envelope,
        Provider,
        ProviderError,
        Reader,
        ReaderBuilder,
        Usage,
        toolstream::sse::Decoder,
    );
    // Policy.
    values!(
        Call,
        CallId,
        CallOutcome,
        Choice,
        Decision,
        Guard,
        Inference,
        Objection,
        PolicyError,
        Pre,
        Reason,
        Report,
        Request<'_>,
        Running,
        Step,
        Turn,
        Validator,
        Verdict,
    );
    // These hold closures of the host, or borrow. Whether those survive a panic is up to the host.
    all!(crosses_threads: Hook, Hooks, ToolLoop, Events<'_>, SharedEvents<'_>, PartialCall<'_>);
    // These hold an error of serde_json, which promises nothing about panics.
    all!(crosses_threads: JsonError);
    // This holds the host's function for ids, which one thread calls at a time.
    all!(goes_to_a_thread: adapt::EventWriter);
}

/// Each public type of `.ci/names` stands in this file, so no new type is forgotten.
#[test]
fn the_list_is_whole() {
    let (names, own) = (include_str!("../../.ci/names"), include_str!("public_types.rs"));
    let is_type = |word: &str| {
        word.starts_with(|c: char| c.is_uppercase()) && word.contains(|c: char| c.is_lowercase())
    };
    // The last word of the path of a type, not that of a method or a variant. `Sink` is a trait, and the traits of an
    // `EventStream` are those of the stream in it.
    let types = names.lines().filter_map(|path| {
        let (outside, name) = path.rsplit_once("::").unwrap_or(("", path));
        let is_part = outside.split("::").any(is_type);
        (is_type(name) && !is_part && !["Sink", "EventStream"].contains(&name)).then_some(name)
    });
    let types: Vec<&str> = types.collect();
    assert!(types.len() > 100, "{types:?}");
    let (_, listed) = own.split_once("values!(\n").expect("the list");
    for name in types {
        let is_there = |list: &str| list.split(|c: char| !c.is_alphanumeric()).any(|of| of == name);
        assert!(is_there(listed), "{name} is not in the list");
    }
}

/// `Display` and `Debug` show types in words.
#[test]
fn shown() {
    assert_eq!(
        [Ending::Stop, Ending::ToolUse].map(|ended| ended.to_string()),
        ["stop", "tool_use"]
    );
    let parser = Parser::builder(Dialect::HERMES).build().expect("a parser");
    let agent = ToolLoop::from_json(parser.clone(), &serde_json::json!({})).expect("a loop");
    assert!(format!("{agent:?}").starts_with("ToolLoop"), "{agent:?}");
    let mut message = parser.message();
    assert!(format!("{message:?}").contains("blocks"), "{message:?}");
    message.push(Event::TextContent("Hi"));
    assert!(format!("{message:?}").contains("Hi"), "{message:?}");
    let reader = Reader::builder(Provider::Anthropic).build().expect("a reader");
    assert!(format!("{reader:?}").contains("provider: Anthropic"), "{reader:?}");
    let deltas = adapt::Deltas::new(&parser);
    assert!(format!("{deltas:?}").starts_with("Deltas"), "{deltas:?}");
    let writer = adapt::EventWriter::new(adapt::Protocol::Anthropic, &parser, "a1", "m");
    assert!(format!("{writer:?}").contains("protocol: Anthropic"), "{writer:?}");
    let hook = Hook::from_json(&serde_json::json!({"hook": "repeat_guard"})).expect("a hook");
    assert!(format!("{hook:?}").contains("repeat_guard"), "{hook:?}");
}
