// A middleware of the AI SDK: tools for a model that writes its calls as text.

import { Parser } from "toolstream";

/** With these finish reasons the model did not end its message by itself. */
const CUT = new Set(["length", "content-filter", "error"]);

export function toolstream(dialect, { specificationVersion = "v3", ...options } = {}) {
  // Of parameters whose tools went into the prompt: the parser for the answer, and what is to be warned of.
  const told = new WeakMap();
  const hides = options.broken === "hide";
  const parser = tools => new Parser(dialect, { ...options, tools: tools.map(declaration) });

  return {
    specificationVersion,

    async transformParams({ params }) {
      const { tools = [], toolChoice, ...rest } = params;
      const own = tools.filter(({ type }) => type === "function");
      const others = tools.filter(({ type }) => type !== "function");
      const functions = toolChoice?.type === "none" ? [] : own;
      // The model can be told of one tool alone; that it calls one can only be hoped for.
      const offered = toolChoice?.type === "tool" ? own.filter(({ name }) => name === toolChoice.toolName) : functions;
      const writer = parser(own);
      const teller = offered.length === own.length ? writer : parser(offered);
      const prompt = history(writer, params.prompt, offered.length ? teller.systemPrompt() : "");
      const transformed = { ...rest, prompt, ...(others.length && { tools: others }) };
      if (functions.length) {
        transformed.stopSequences = [...(params.stopSequences ?? []), ...writer.stopSequences()];
        told.set(transformed, { parser: writer, warnings: FORCED.has(toolChoice?.type) ? [NOT_FORCED] : [] });
      }
      return transformed;
    },

    async wrapStream({ doStream, params }) {
      const result = await doStream();
      if (!told.has(params)) return result;
      const { parser, warnings } = told.get(params);
      const parts = new Parts(parser.fresh(), hides, warnings);
      const stream = result.stream.pipeThrough(new TransformStream({
        transform(part, out) { parts.take(part).forEach(part => out.enqueue(part)); },
        // The stream ended without a word about its end.
        flush(out) { parts.end(true).forEach(part => out.enqueue(part)); },
      }));
      return { ...result, stream };
    },

    async wrapGenerate({ doGenerate, params }) {
      const result = await doGenerate();
      if (!told.has(params)) return result;
      const { parser, warnings } = told.get(params);
      const parts = new Parts(parser.fresh(), hides);
      const cut = CUT.has(result.finishReason.unified);
      const streamed = result.content.flatMap(part =>
        part.type === "text" ? parts.take({ type: "text-delta", delta: part.text }) : [part]);
      const all = [...streamed, ...parts.end(cut)];
      const content = whole(all.filter(({ type }) => type !== "error"));
      const finishReason = parts.finishReason(result.finishReason);
      const hidden = all.filter(({ type }) => type === "error").map(({ error }) => ({ type: "other", message: error.message }));
      return { ...result, content, finishReason, warnings: [...(result.warnings ?? []), ...warnings, ...hidden] };
    },
  };
}

function isJson(text) {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** Choices that a prompt cannot enforce. */
const FORCED = new Set(["required", "tool"]);
const NOT_FORCED = {
  type: "unsupported", feature: "toolChoice",
  details: "calls are read from the model's text: it is told of the tools and not forced to call one",
};

const declaration = ({ name, description, inputSchema }) =>
  ({ type: "function", function: { name, description, parameters: inputSchema } });

/** The SDK's prompt with calls and results as text, and the tools told before it. */
function history(parser, prompt, system) {
  const files = new Files();
  const chat = prompt.flatMap(message => {
    switch (message.role) {
      case "assistant": return [assistant(message)];
      case "tool":
        return message.content.filter(({ type }) => type === "tool-result").map(part => result(part, files));
      case "user": return [{ ...message, content: message.content.map(part => files.leave(part)) }];
      default: return [message];
    }
  });
  const told = system ? [{ role: "system", content: system }] : [];
  return parser.renderHistory([...told, ...chat]).map(({ role, content, reasoning = [], ...rest }) => {
    const parts = role !== "system" && typeof content === "string" ? [{ type: "text", text: content }] : content;
    const own = typeof parts === "string" ? parts : parts.map(part => files.put(part));
    return { ...rest, role, content: reasoning.length ? [...reasoning, ...own] : own };
  });
}

/** Files of a prompt: their bytes are no JSON, so that a part of a chat goes through the parser in the place of each. */
class Files {
  #files = [];

  leave(part) {
    if (part.type !== "file") return part;
    const toolstream = this.#files.push(part) - 1;
    return part.mediaType?.startsWith("image")
      ? { type: "image_url", image_url: { url: "" }, toolstream }
      : { type: "file", file: { filename: part.filename }, toolstream };
  }

  put(part) { return this.#files[part.toolstream] ?? part; }
}

/** Reasoning stays what it is: whether a model is shown that of earlier turns, its chat template decides. */
function assistant({ content }) {
  const reasoning = content.filter(({ type }) => type === "reasoning");
  const text = content.filter(({ type }) => type === "text").map(({ text }) => text).join("");
  const calls = content.filter(({ type }) => type === "tool-call").map(({ toolCallId, toolName, input }) =>
    ({ id: toolCallId, type: "function", function: { name: toolName, arguments: written(input) } }));
  return { role: "assistant", content: text, reasoning, ...(calls.length && { tool_calls: calls }) };
}

function result({ toolCallId, output }, files) {
  const { type, value, reason } = output;
  const denied = type === "execution-denied" ? `The call was denied. ${reason ?? ""}`.trim() : null;
  const content = denied ?? (type === "content" ? pieces(value, files) : written(value));
  return { role: "tool", tool_call_id: toolCallId, content };
}

/** Arguments that are no JSON came as the text that they were. */
const written = value => typeof value === "string" ? value : JSON.stringify(value);

/** A tool's result in parts: a text, if all are texts. */
function pieces(parts, files) {
  const all = parts.map(part => files.leave(part.type === "text" ? part : file(part)));
  return all.every(({ type }) => type === "text") ? all.map(({ text }) => text).join("\n") : all;
}

/** A part of a result as the file that a user's message may hold; a text, if a message cannot hold it. */
function file(part) {
  const { type, data, url, mediaType, filename } = part;
  switch (type) {
    case "file": return part;
    case "media":
    case "file-data":
    case "image-data": return { type: "file", data, mediaType, ...(filename && { filename }) };
    case "file-url": return { type: "file", data: new URL(url), mediaType: mediaType ?? "application/octet-stream" };
    case "image-url": return { type: "file", data: new URL(url), mediaType: "image/*" };
    default: return { type: "text", text: JSON.stringify(part) };
  }
}

/** The parts of a stream, with the calls that its text holds. */
class Parts {
  #parser;
  /** The text or the reasoning that is open: its kind and its id. */
  #open = null;
  #call = null;
  #count = 0;
  #calls = 0;
  #isCut = false;
  /** They go out with the first part. */
  #warnings;

  /** Whether broken calls are hidden: at the end stands an error for each. */
  #hides;

  constructor(parser, hides, warnings = []) {
    this.#parser = parser;
    this.#warnings = warnings;
    this.#hides = hides;
  }

  take(part) {
    const warnings = this.#warnings;
    this.#warnings = [];
    if (part.type === "stream-start") return [{ ...part, warnings: [...part.warnings, ...warnings] }];
    const taken = this.#taken(part);
    return warnings.length ? [{ type: "stream-start", warnings }, ...taken] : taken;
  }

  #taken(part) {
    switch (part.type) {
      case "text-start":
      case "text-end":
        return [];
      case "text-delta":
        return this.#told(this.#parser?.feedDeltas(part.delta) ?? []);
      case "finish": {
        const before = this.end(CUT.has(part.finishReason.unified));
        return [...before, { ...part, finishReason: this.finishReason(part.finishReason) }];
      }
      default:
        return [part];
    }
  }

  /** The parts of the end; a second end has none. */
  end(cut) {
    const parser = this.#parser;
    if (!parser) return [];
    const told = this.#told(cut ? parser.finishCutDeltas() : parser.finishDeltas());
    const { content } = parser.message;
    // Calls that are told only when they may run say nothing of themselves.
    this.#isCut ||= content.some(({ status, reason }) => status === "incomplete" && reason === "cut");
    const hidden = this.#hides ? parser.brokenCalls : [];
    this.#parser = null;
    parser.free();
    return [...told, ...this.#close(), ...hidden.map(({ name, reason }) =>
      ({ type: "error", error: new Error(`the model's call of \`${name}\` may not run and is hidden: ${reason}`) }))];
  }

  /** A model that was cut after a call has ended for another reason than the call; one that ended in a call was cut. */
  finishReason(reason) {
    if (CUT.has(reason.unified)) return reason;
    if (this.#calls) return { ...reason, unified: "tool-calls" };
    return this.#isCut ? { ...reason, unified: "length" } : reason;
  }

  #told(deltas) { return deltas.flatMap(delta => this.#delta(delta)); }

  #delta({ type, text, name, id, may_run, reason }) {
    switch (type) {
      case "content": return this.#prose("text", text);
      case "reasoning": return this.#prose("reasoning", text);
      case "call":
        this.#call = { id: id ?? `call_${crypto.randomUUID()}`, name, input: "" };
        return [...this.#close(), { type: "tool-input-start", id: this.#call.id, toolName: name }];
      case "arguments":
        this.#call.input += text;
        return [{ type: "tool-input-delta", id: this.#call.id, delta: text }];
      case "call_end": {
        const { id, name, input } = this.#call;
        const ended = { type: "tool-input-end", id };
        if (reason === "cut") {
          this.#isCut = true;
          return [ended];
        }
        this.#calls++;
        const whole = may_run ? input : this.#invalid(input);
        return [ended, { type: "tool-call", toolCallId: id, toolName: name, input: whole }];
      }
      default: return [];
    }
  }

  /**
   * The arguments of a broken call: what the model wrote, or what was told of it, and never JSON. The SDK asks its function
   * of repair, or answers the call with an error, and the model tries again. (It takes an empty text for `{}`.)
   */
  #invalid(told) {
    const { raw } = this.#parser.message.content.findLast(({ type }) => type === "tool_use");
    return [raw, told].find(text => text?.trim() && !isJson(text)) ?? "{";
  }

  #prose(kind, delta) {
    const before = this.#open?.kind === kind ? [] : this.#close();
    if (!this.#open) {
      this.#open = { kind, id: `toolstream-${this.#count++}` };
      before.push({ type: `${kind}-start`, id: this.#open.id });
    }
    return [...before, { type: `${kind}-delta`, id: this.#open.id, delta }];
  }

  #close() {
    const open = this.#open;
    this.#open = null;
    return open ? [{ type: `${open.kind}-end`, id: open.id }] : [];
  }
}

/** The content that the parts of a stream make. */
function whole(parts) {
  const content = [];
  let prose = null;
  for (const part of parts) {
    switch (part.type) {
      case "text-start": content.push(prose = { type: "text", text: "" }); break;
      case "reasoning-start": content.push(prose = { type: "reasoning", text: "" }); break;
      case "text-delta":
      case "reasoning-delta": prose.text += part.delta; break;
      case "text-end":
      case "reasoning-end":
      case "tool-input-start":
      case "tool-input-delta":
      case "tool-input-end": break;
      default: content.push(part);
    }
  }
  return content;
}
