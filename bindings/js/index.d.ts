/** A dialect: its name ("hermes"), two names ("react+tool-call"), or a shape of yours as an object. */
export type Dialect = string | object;

/** An event of a stream. The slices (`text`) of all events, joined, are the stream. Offsets (`at`) are bytes of UTF-8. */
export type Event =
  | { type: "text_content" | "reasoning" | "markup" | "param_delta" | "arguments_delta"; text: string }
  | { type: "tool_start"; index: number; name: string; id: string | null; at: number }
  | { type: "tool_id"; id: string }
  | { type: "param_start"; name: string; hint: "string" | "json" | "literal" | "lines" | null }
  | { type: "param_end"; closed: boolean }
  | { type: "tool_end"; status: Status; cause: "end_of_stream" | "broken" | null; at: number }
  | { type: "answer_start" }
  /** A thing that a provider wants back with the next request, as JSON. Only a `Reader` says it. */
  | { type: "opaque"; of: "text" | "reasoning" | "call" | "item"; json: string }
  | { type: "tool_limit_reached"; at: number; limit: number }
  | { type: "diagnostic"; kind: DiagnosticKind; at: number; call: number | null };

/** News for a client, whatever the dialect: arguments are always JSON. */
export type Delta =
  | { type: "content" | "reasoning" | "arguments"; text: string }
  | { type: "call"; index: number; name: string; id: string | null }
  /** If `may_run` is false, the arguments are no JSON and the call must not run: `reason` says why. */
  | { type: "call_end"; may_run: boolean; reason: Reason | null };

export type Status = "complete" | "incomplete";

/** Why a call may not run. */
export type Reason = "cut" | "broken" | "malformed_arguments" | "missing_arguments" | "type_mismatch";

/** Findings that change no other event. */
export type DiagnosticKind =
  | "unknown_tool" | "unknown_parameter" | "duplicate_parameter" | "type_mismatch" | "repaired_json"
  | "malformed_arguments" | "missing_arguments" | "malformed_call" | "malformed_tag" | "missing_opener"
  | "missing_closer" | "mismatched_closer" | "orphan_closer" | "stray_text" | "suspect_marker" | "cut_opener"
  | "fabricated_result" | "inferred_name" | "limit_exceeded" | "invalid_utf8" | "fabricated_step"
  | "answer_after_action" | "no_action" | "missing_action_name" | "cut_stop_word" | "ignored_input"
  | "trailing_arguments" | "arguments_mismatch" | "refusal" | "provider_error" | "foreign_event" | "cut_stream";

export interface Prose {
  type: "text" | "reasoning";
  text: string;
  /** The stream is still in it. */
  partial?: true;
  /** A provider's own data on it. */
  opaque?: unknown;
}

/** Data of a provider's that is a block by itself. */
export interface OpaqueBlock { type: "opaque"; opaque: unknown }

interface AnyCall {
  type: "tool_use";
  /** Its number in the message, from 0. */
  index: number;
  id: string | null;
  name: string;
  /** A whole number above 2^53 loses digits here: `raw` has all of them, where the dialect speaks JSON. */
  input: Record<string, unknown>;
  /** The arguments as the model wrote them, where the dialect speaks JSON. */
  raw: string | null;
  start: number;
  end: number;
  opaque?: unknown;
}

/** A call that may run. */
export interface CompleteCall extends AnyCall {
  status: "complete";
  /** The parameters that its tool requires and that it does not have. */
  missing?: string[];
}

/** A call that may not run: `input` has the arguments that were closed. */
export interface IncompleteCall extends AnyCall {
  status: "incomplete";
  reason: Reason;
  /** The mistake in `raw`, and its place. */
  problem?: { line: number; column: number; what: string };
  /** The stream is still in it. */
  partial?: true;
}

export type Block = Prose | CompleteCall | IncompleteCall | OpaqueBlock;

/** The message so far. A call may run if its `status` is `complete`. Offsets are bytes of UTF-8. */
export interface Message {
  content: Block[];
  finish: "tool_use" | "stop" | "truncated" | "tool_limit_reached";
  diagnostics: { kind: DiagnosticKind; at: number; call?: number }[];
  position: number;
  /** Whether the answer's marker came (ReAct's `Final Answer:`), where the dialect has one. */
  answered?: boolean;
}

/** A call that is about to open. `index` is its number in the message, `previous` the name of the call before it. */
export interface NextCall { index: number; name: string; previous: string | null }

/** A call that may not run, or an opener of a declared tool that did not count (`index` is null). Offsets are bytes of UTF-8. */
export interface RefusedCall { start: number; end: number; name: string | null; index: number | null; why: string }

/** A marker of the dialect in a text, or what began like one: `refused` says why it did not count. */
export interface Marker { at: number; text: string; role: string; refused: string | null }

/** A result of a tool, for the model: `is_error` for what went wrong. `id` is that of the call, if it has one. */
export interface ToolResult { name: string; content: unknown; id?: string | null; is_error?: boolean }

export type Provider = "openai-chat" | "openai-responses" | "anthropic" | "gemini";
export type Protocol = "openai-chat" | "openai-responses" | "anthropic";
export type GrammarFormat = "lark" | "structural_tag";

/** How calls are told to a client. */
export interface DeltaOptions {
  /** How a call is told that may not run: its arguments are no JSON (the default), as text, or not at all. */
  broken?: "call" | "text" | "hide";
  /** When a call is told: while it comes (the default), or once it may run. */
  calls?: "as_they_come" | "when_whole";
  /** Whether whole calls of a message that was cut may run (the default), or none may. */
  on_cut?: "keep" | "refuse_all";
}

/** Options of a parser and of a reader. Those of deltas count for `feedDeltas`. */
export interface ReaderOptions extends DeltaOptions {
  /** Tools as OpenAI, Anthropic, Gemini or MCP declare them. */
  tools?: readonly object[] | null;
  /** The most calls of a message: the stream ends before the first one too many. Default null: any number. */
  tool_limit?: number | null;
  /**
   * Asked before each call whether it may open: if the answer is not true, the stream ends before the call. What it
   * throws is thrown by the method that reads, and the stream has ended before the call, too. A function that holds its
   * own parser keeps it in memory until `free`.
   */
  limit_by?: (call: NextCall) => unknown;
  /** Tools whose calls may follow each other in one message; a call of any other tool comes alone. Default: all. */
  chaining_tools?: readonly string[];
  /**
   * An argument whose type is none of its schema's: told (the default), a call that may not run, or converted where
   * that is safe. "guess": where no schema says, the type that the text looks like.
   */
  types?: "report" | "strict" | "coerce" | "guess";
  /** A call without a required parameter: `missing` names it (the default), or the call may not run. */
  required?: "report" | "strict";
  /** Arguments that are almost JSON: repaired, with a diagnostic (the default), or a call that may not run. */
  repairs?: "default" | "none";
}

/** The options of a parser, under the names that they have in the crate. */
export interface Options extends ReaderOptions {
  /** The end of a message that has as many calls as it may: the next opener (the default), or visible text, too. */
  limit_on?: "tool_start" | "text_after_tool";
  /** Start of the stream: in text (the default), or in reasoning, because the prompt left a block of it open. */
  start?: "text" | "reasoning";
  /** A call in reasoning: is reasoning, or ends it and is a call. Default: the dialect's. */
  calls_in_reasoning?: "ignore" | "extract";
  /** Places at which an opener of reasoning counts: at the start of a line (the default), or anywhere. */
  reasoning_tags?: "line_start" | "anywhere";
  /** A call in Markdown code: a call (the default), or text. */
  fences?: "parse" | "quote";
  /** Whether `&lt;` and its kin in values are decoded, once. Default false. */
  decode_entities?: boolean;
  /** Further parameters that `cline` reads as raw text. */
  raw_params?: readonly string[];
  /** Parameters that hold search/replace blocks. Default: the dialect's (`cline`: `diff`). */
  diff_params?: readonly string[];
  /** Values lose the line breaks that belong to the markup (the default), or keep every byte. */
  value_whitespace?: "default" | "verbatim";
  /** White space of text next to calls: text (the default), or markup that nobody is shown. */
  text_at_calls?: "keep" | "trim";
  /** Whether the stream begins in a thought, because the prompt ended with `Thought:` (ReAct). Default false. */
  implicit_thought?: boolean;
  /** The words that begin the answer. Default: the dialect's (ReAct: `Final Answer`). */
  answer_keywords?: readonly string[];
  /** Texts that count as markers only where `feedSpecial` brings them. */
  special_tokens?: readonly string[];
  /** A call with a forgotten or wrong closer: complete, with a diagnostic (the default), or a call that may not run. */
  recoveries?: "lenient" | "strict";
  /** Whether `refused` has openers that did not count, and which marker stood where another one is missing. Default false. */
  explain_refused?: boolean;
  /**
   * Markers and special tokens that a result or a user quotes, in texts for the model: broken up by a visible `␛`
   * (the default), an error, or left as they are.
   */
  results?: "neutralise" | "refuse" | "verbatim";
  /** Images and documents of a history that go on as parts of a message; the others become words: `[image]`. Default "images". */
  attachments?: "images" | "all" | "none";
  /** A call of a history that was cut: as it was (the default), or left out with a note in its result. */
  unwritable_calls?: "text" | "note";
  /** Calls of a history that a provider ran by itself: said in brackets (the default), or left out. */
  hosted_calls?: "say" | "leave_out";
  /** Place of a late system or developer message of a history: to the front (the default), into a user's, or nowhere. */
  late_system?: "first" | "user" | "keep";
}

/** The methods that a parser and a reader share. Read a stream as events or as deltas, not as both. */
declare class Reading {
  /** The model ended its message. (A reader asks the provider's own word for that.) */
  finish(): Event[];
  /** The stream was cut (connection lost, finish reason `length`): nothing is whole that only its end would show. */
  finishCut(): Event[];
  finishDeltas(): Delta[];
  finishCutDeltas(): Delta[];
  readonly message: Message;
  /** The calls that may not run, in the order of the stream, each with a sentence that says why. */
  readonly refused: RefusedCall[];
  /** The calls of the deltas that the model ended and that may not run. */
  readonly brokenCalls: { index: number; name: string; reason: Reason }[];
  /** The open call and its arguments so far. */
  readonly partialCall: { name: string; input: Record<string, unknown> } | null;
  /** How many bytes of UTF-8 are held because they may yet be part of a marker. */
  readonly held: number;
  /** How many bytes of UTF-8 have left in events. */
  readonly position: number;
  /** The text that tells the model what was wrong with its calls; null if nothing was. */
  correction(): string | null;
  /**
   * The assistant's turn for the next request, with what the provider wants back: an element of `messages` or
   * `contents`, or the items of `input` ("openai-responses").
   */
  toRequest(provider: "openai-responses"): Record<string, unknown>[];
  toRequest(provider: Exclude<Provider, "openai-responses">): Record<string, unknown>;
  /** Resets it for the next stream. */
  reset(): void;
  /** Gives its memory back now, and not when it is collected. Whoever uses it afterwards gets an error. */
  free(): void;
}

/**
 * A streaming parser for one message of one model.
 *
 * A chunk may end anywhere, also in the middle of a surrogate pair. After the end a chunk is an error: `reset` begins the
 * next stream.
 */
export class Parser extends Reading {
  /** Throws if the configuration makes no sense. */
  constructor(dialect: Dialect, options?: Options);
  feed(chunk: string): Event[];
  /** A chunk in UTF-8, which may end inside a character. A parser takes chunks of one kind, not of both. */
  feedBytes(chunk: Uint8Array): Event[];
  /** A special token of the model's tokenizer, whole (the option `special_tokens`). */
  feedSpecial(token: string): Event[];
  feedDeltas(chunk: string): Delta[];
  feedSpecialDeltas(token: string): Delta[];
  /** The message of a whole text, whatever this parser has read. */
  parse(text: string): Message;
  /** The markers of a whole text, and what began like one, each with why it did not count: why is this call text? */
  explain(text: string): Marker[];
  /** A parser of the same configuration that has read nothing. */
  fresh(): Parser;
  /** The section of the system prompt that tells the tools. */
  systemPrompt(): string;
  stopSequences(): string[];
  /** A grammar of what the model may write. `toolChoice` is as a request of OpenAI's or Anthropic's has it. */
  grammar(format: GrammarFormat, toolChoice?: string | object | null): string;
  /**
   * Grammars that begin behind the opener of a call and end with it, for a server that switches one on at a marker.
   * `tools` are those whose calls begin with the opener.
   */
  callGrammars(format: GrammarFormat, toolChoice?: string | object | null): { opener: string; tools: string[]; grammar: string }[];
  /** A call as the dialect writes it. Throws if it would be read back as another one. */
  renderCall(name: string, input: Record<string, unknown>): string;
  /** The user message that brings the model the results of its calls, in the order of the calls. */
  renderResults(results: readonly ToolResult[]): string;
  /** Messages of an OpenAI chat, without calls and `tool` roles: they are text, as the dialect writes it. */
  renderHistory(messages: readonly object[]): Record<string, unknown>[];
  /** The prompt that tells the tools, a request's `system` or `instructions`, and `renderHistory` of its messages. */
  renderChat(messages: readonly object[], system?: string | readonly object[] | null): Record<string, unknown>[];
  /** A text that somebody else wrote, for the model: markers in it are broken up by a `␛`. `restore` gives it back. */
  neutralise(text: string): string;
}

/** A provider's own words on its answer. */
export interface Envelope {
  id: string | null;
  model: string | null;
  stop_reason: string | null;
  usage: {
    input: number | null; output: number | null; cached: number | null; reasoning: number | null; raw: Record<string, unknown>;
  } | null;
  error: { kind: string | null; code: string | null; message: string | null; raw: unknown } | null;
}

/** A reader of the stream of one message of a provider's, whose calls are no text. */
export class Reader extends Reading {
  /** `text_calls` is a parser for the answer's text, for a server that leaves the calls in it: then its tools and options count. */
  constructor(provider: Provider, options?: ReaderOptions & { text_calls?: Parser });
  /** An event of the provider's: an object, or its JSON (the data of a server-sent event). */
  feed(event: string | Uint8Array | object): Event[];
  feedDeltas(event: string | Uint8Array | object): Delta[];
  readonly envelope: Envelope;
  fresh(): Reader;
}

export interface WriterOptions extends DeltaOptions {
  /** The answer's id and model. */
  id: string;
  model: string;
  /** A JSON object at the end, for a request without a stream. Default false: server-sent events. */
  whole?: boolean;
  /** When the answer began, in seconds since 1970. Default 0. */
  created?: number;
  /** The names under which reasoning goes out in a chat. Default "reasoning_content". */
  reasoning?: "reasoning_content" | "reasoning" | "both" | "none";
}

/** A writer of an answer for a client, in its protocol. The stream is one of its own, read as `source` would read it. */
export class EventWriter {
  constructor(protocol: Protocol, source: Parser | Reader, options: WriterOptions);
  /** Reads a chunk, or a provider's event, and gives the bytes to send: whole events, or none. */
  feed(chunk: string | Uint8Array | object): Uint8Array;
  feedBytes(chunk: Uint8Array): Uint8Array;
  feedSpecial(token: string): Uint8Array;
  /** How many tokens were read and written, as far as it is known. */
  usage(input: number, output: number): void;
  finish(): Uint8Array;
  finishCut(): Uint8Array;
  /** Ends the answer with an error of the server's, as the protocol says it. */
  fail(what: string): Uint8Array;
  readonly message: Message;
  readonly contentType: string;
  /** How the answer ended, in the protocol's words, once it has. */
  readonly stopReason: string;
  /** The calls that the model ended and that may not run. */
  readonly brokenCalls: { index: number; name: string; reason: Reason }[];
  /** The calls whose ids the wire did not name, by their index. */
  readonly madeUpIds: number[];
  free(): void;
}

export function dialects(): string[];

/**
 * The dialect of a model (`owner/name`), if one is known: `new Parser(found.dialect, { tools, ...found.options })`. `names`
 * are those of its family.
 */
export function dialectOfModel(id: string):
  { dialect: string; options: Pick<Options, "start" | "value_whitespace">; names: string[] } | undefined;

/** The dialect that a chat template asks its model for; null if it is none that is known. */
export function detect(chatTemplate: string): string | null;

/** Start of a stream whose rendered prompt ends like this: "reasoning" if the template left a block of it open. */
export function startOfPrompt(endOfPrompt: string): "text" | "reasoning";

/**
 * The tools of a client's request that a parser takes, namespaces among them, and the types of those that are left out because
 * a provider runs them: `web_search`, `tool_search`, `local_shell`.
 */
export function splitTools(tools: readonly object[] | null | undefined): { tools: object[]; leftOut: string[] };

/** The texts of a dialect's markers, or of a shape's. Names of tools and arguments stand between them. */
export function markers(dialect: Dialect): string[];

/** The texts that open reasoning in a dialect, and those that close it. */
export function reasoningMarkers(dialect: Dialect): { open: string[]; close: string[] };

/** A text as it was before `neutralise` or `renderResults`, or a piece of one. */
export function restore(text: string): string;
