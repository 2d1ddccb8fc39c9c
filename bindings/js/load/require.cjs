// toolstream for `require`, which cannot wait for an ES module: `const { Parser } = await require("toolstream").load()`.

exports.load = () => import("./node.js");
