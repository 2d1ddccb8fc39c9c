import type { Options } from "./index.js";

/**
 * A middleware for `wrapLanguageModel` of the AI SDK: tools for a model that writes its calls as text.
 *
 * The tools go into the prompt, calls and results of the history become text, and calls in the answer become
 * `tool-input-start`, `-delta`, `-end` and `tool-call`. A call that is cut has no `tool-call`. A broken one has arguments
 * that are no JSON, so that the SDK tells the model what was wrong (`broken: "text"` and `"hide"` say it otherwise). Images
 * in results go on as files of the message that holds the result (`attachments`). A tool choice of `none`
 * is kept; of a tool by name the model is told alone, and that it must call one is refused with a warning. Reasoning of
 * earlier turns stays in the history, as reasoning.
 *
 * `specificationVersion` is "v3" for `ai` 6 (default) and "v4" for `ai` 7. All other options are the parser's.
 */
export function toolstream(
  dialect: string | object,
  options?: Options & { tools?: never; specificationVersion?: "v3" | "v4" },
): any;
