/** What the parser says. The slices (`text`) of all events, joined, are the stream. */
export type Event =
  | { type: "text_content" | "reasoning" | "markup" | "param_delta" | "arguments_delta"; text: string }
  | { type: "tool_start"; index: number; name: string; id: string | null }
  | { type: "tool_id"; id: string }
  | { type: "param_start"; name: string; hint: "string" | "json" | "literal" | "lines" | null }
  | { type: "param_end"; closed: boolean }
  | { type: "tool_end"; status: "complete" | "incomplete" }
  | { type: "answer_start" }
  | { type: "tool_limit_reached"; at: number; limit: number }
  | { type: "diagnostic"; kind: string; at: number; call: number | null };

/** What a client is to be told, whatever the dialect: arguments are always JSON. */
export type Delta =
  | { type: "content" | "reasoning" | "arguments"; text: string }
  | { type: "call"; index: number; name: string; id: string | null }
  /** If `may_run` is false, the arguments are no JSON and the call must not run: `reason` says why. */
  | { type: "call_end"; may_run: boolean; reason: Reason | null };

/** Why a call may not run. */
export type Reason = "cut" | "broken" | "malformed_arguments" | "missing_arguments" | "type_mismatch";

export type Block =
  | { type: "text" | "reasoning"; text: string }
  | {
      type: "tool_use"; index: number; id: string | null; name: string; input: Record<string, unknown>;
      raw: string | null; status: "complete" | "incomplete"; reason?: string; start: number; end: number;
    };

/** The message so far. A call may run if its `status` is `complete`. Offsets are bytes of UTF-8. */
export interface Message {
  content: Block[];
  finish: "tool_use" | "stop" | "truncated" | "tool_limit_reached";
  diagnostics: { kind: string; at: number; call?: number }[];
  position: number;
}

/** A call that is about to open. `index` is its number in the message, `previous` the name of the call before it. */
export interface NextCall { index: number; name: string; previous: string | null }

/** A call that may not run, or an opener of a declared tool that did not count (`index` is null). Offsets are bytes of UTF-8. */
export interface RefusedCall { start: number; end: number; name: string | null; index: number | null; why: string }

/** The tools, and the options of the crate under the names that they have in JSON (`tool_limit`, default 1). */
export interface Options {
  /** As OpenAI, Anthropic, Gemini or MCP declare them. */
  tools?: object[];
  tool_limit?: number | null;
  /**
   * Asked before each call whether it may open: if what it gives is not true, the stream ends before the call. What it
   * throws is thrown by the method that reads, and the stream has ended before the call, too.
   */
  limit_by?: (call: NextCall) => boolean;
  /** Tools whose calls may follow each other in one message; a call of any other tool comes alone. */
  chaining_tools?: string[];
  /** White space of text next to calls: text (the default), or markup that nobody is shown. */
  text_at_calls?: "keep" | "trim";
  /** Whether `refused` has openers that did not count, and which marker stood where another one is missing. Default false. */
  explain_refused?: boolean;
  /**
   * What an argument is whose type is none of its schema's: told (the default), a call that may not run, or converted where
   * that is safe. "guess": where no schema says, the type that the text looks like.
   */
  types?: "report" | "strict" | "coerce" | "guess";
  /** Where an opener of reasoning counts: where a line begins (the default), or anywhere. */
  reasoning_tags?: "line_start" | "anywhere";
  /** How deltas tell a call that may not run: its arguments are no JSON (the default), as text, or not at all. */
  broken?: "call" | "text" | "hide";
  /** When deltas tell a call: while it comes (the default), or once it may run. */
  calls?: "as_they_come" | "when_whole";
  /** Whether whole calls of a message that was cut may run in deltas (the default), or none may. */
  on_cut?: "keep" | "refuse_all";
  /**
   * What `renderHistory` makes of markers and special tokens that a result or a user quotes: broken up by a visible `␛`
   * (the default), an error, or nothing.
   */
  results?: "neutralise" | "refuse" | "verbatim";
  /** Which images and documents of a history go on as parts of a message; the others are said: `[image]`. Default "images". */
  attachments?: "images" | "all" | "none";
  /** A call of a history that was cut: as it was (the default), or left out with a note in its result. */
  unwritable_calls?: "text" | "note";
  /** What a provider ran by itself: said in brackets (the default), or left out. */
  hosted_calls?: "say" | "leave_out";
  /** Where a late system or developer message of a history goes: to the front (the default), into a user's, or nowhere. */
  late_system?: "first" | "user" | "keep";
  [option: string]: unknown;
}

/**
 * A streaming parser for one message of one model. Read it as events or as deltas, not as both.
 *
 * A chunk may end anywhere, also in the middle of a surrogate pair. Chunks after the end are ignored.
 */
export class Parser {
  /** `dialect` is a name ("hermes"), two ("react+tool-call"), or a table or shape as an object. Throws if the
   * configuration makes no sense. */
  constructor(dialect: string | object, options?: Options);
  feed(chunk: string): Event[];
  /** A chunk in UTF-8, which may end inside a character. A parser takes chunks of one kind, not of both. */
  feedBytes(chunk: Uint8Array): Event[];
  /** The model ended its message. */
  finish(): Event[];
  /** The stream was cut (connection lost, finish reason `length`): nothing is whole that only its end would show. */
  finishCut(): Event[];
  feedDeltas(chunk: string): Delta[];
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
  /** As when it was built, for the next stream. */
  reset(): void;
  /** Gives its memory back now, and not when it is collected. */
  free(): void;
  /** The text that tells the model what was wrong with its calls; null if nothing was. */
  correction(): string | null;
  /** The section of the system prompt that tells the tools. */
  systemPrompt(): string;
  stopSequences(): string[];
  /**
   * Grammars that begin behind the opener of a call and end with it, for a server that switches one on at a marker.
   * `tools` are those whose calls begin with the opener, `toolChoice` is as a request of OpenAI's or Anthropic's has it.
   */
  callGrammars(
    format: "lark" | "structural_tag",
    toolChoice?: string | object | null,
  ): { opener: string; tools: string[]; grammar: string }[];
  /** A call as the dialect writes it. Throws if it would be read back as another one. */
  renderCall(name: string, input: Record<string, unknown>): string;
  /** Messages of an OpenAI chat, without calls and `tool` roles: they are text, as the dialect writes it. */
  renderHistory(messages: object[]): object[];
  /** The prompt that tells the tools, a request's `system` or `instructions`, and `renderHistory` of its messages. */
  renderChat(messages: object[], system?: string | object[] | null): object[];
}

export function dialects(): string[];

/**
 * The tools of a client's request that a parser takes, namespaces among them, and the types of those that are left out because
 * a provider runs them: `web_search`, `tool_search`, `local_shell`.
 */
export function splitTools(tools: object[] | null | undefined): { tools: object[]; leftOut: string[] };

/** The texts of a dialect's markers, or of a shape's. Names of tools and arguments stand between them. */
export function markers(dialect: string | object): string[];
/** The dialect of a model (`owner/name`), if one is known. */
export function dialectOfModel(id: string): string | undefined;
