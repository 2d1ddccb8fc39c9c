/** The package for a program of CommonJS: `const { Parser } = await require("toolstream").load()`. */
export function load(): Promise<typeof import("../index.js")>;
