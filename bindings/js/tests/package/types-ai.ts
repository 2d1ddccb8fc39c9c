// The types of the middleware: it fits the AI SDK that is installed, and a typo is an error.

import { wrapLanguageModel } from "ai";
import { toolstream } from "toolstream/ai";

declare const model: Parameters<typeof wrapLanguageModel>[0]["model"];
wrapLanguageModel({ model, middleware: toolstream("hermes", { tool_limit: 3 }) });
// @ts-expect-error: there is no such version.
toolstream("hermes", { specificationVersion: "v1" });
// @ts-expect-error: the tools are the request's.
toolstream("hermes", { tools: [] });
// @ts-expect-error: no option has this name.
toolstream("hermes", { brokn: "text" });
// @ts-expect-error: a middleware has no such method.
toolstream("hermes").wrapGenerat;
