import type { LanguageModelMiddleware } from "ai";
import type { Dialect, Options } from "./index.js";

/** The parser's options, but for the tools, which are the request's. */
export interface MiddlewareOptions extends Omit<Options, "tools"> {
  tools?: never;
  /** "v3" for `ai` 6 (the default), "v4" for `ai` 7. */
  specificationVersion?: "v3" | "v4";
}

/**
 * A middleware for `wrapLanguageModel` of the AI SDK: tools for a model that writes its calls as text.
 *
 * The tools go into the prompt, calls and results of the history become text, and calls in the answer become
 * `tool-input-start`, `-delta`, `-end` and `tool-call`. A call that is cut has no `tool-call`. A broken one has arguments
 * that are no JSON: the SDK asks its function of repair, and without one tells the model what was wrong. With `broken:
 * "text"` it is shown as text. With `"hide"` it is not, and a warning says so. Images in results go on as files of the message that holds the result
 * (`attachments`). A tool choice of `none` is kept; of a tool by name the model is told alone, and that it must call one is
 * refused with a warning. Reasoning of earlier turns stays in the history, as reasoning.
 */
export function toolstream(dialect: Dialect, options?: MiddlewareOptions): LanguageModelMiddleware;
