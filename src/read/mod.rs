//! The parts of every reader. No part knows a dialect.
//!
//! | file | |
//! |---|---|
//! | [`cursor`] | a place in the text, and the primitives of readers |
//! | [`class`] | classes of characters |
//! | [`notes`], [`wait`] | notes of readers beside their answers, and the bytes that an undecided reader waits for |
//! | [`scan`] | the next byte at which a marker of a state may begin |
//! | [`machine`] | the loop |
//! | [`plain`] | small chunks that change nothing |
//! | [`feed`] | the text of one feed, and how its bytes leave |
//! | [`act`] | the effects of markers: the answers of a family's readers |
//! | [`prose`] | text and reasoning |
//! | [`call`], [`section`], [`value`] | between parameters, between calls, in a value |
//! | [`explain`] | why a marker counts or does not |
//! | [`object`], [`quote`] | a body of JSON or of other literals, and quotes in its strings |
//! | [`word`] | markers that begin with the name of a tool |
//! | [`trial`], [`attempt`] | an object that may be a call, or the answer |
//! | [`json`], [`infer`] | a JSON object as a call, piece by piece, and the tool that its keys name |
//! | [`names`], [`tools`], [`first_bytes`], [`ids`] | the declared names, by their numbers and first bytes |
//! | [`open_call`] | the open call, and the names that its markers capture |
//! | [`fence`], [`whole`] | fences of Markdown, and messages that are one object |

pub(crate) mod act;
pub(crate) mod attempt;
pub(crate) mod call;
pub(crate) mod class;
pub(crate) mod cursor;
pub(crate) mod explain;
pub(crate) mod feed;
pub(crate) mod fence;
pub(crate) mod first_bytes;
pub(crate) mod ids;
pub(crate) mod infer;
pub(crate) mod json;
pub(crate) mod line_starts;
pub(crate) mod machine;
pub(crate) mod names;
pub(crate) mod notes;
pub(crate) mod object;
pub(crate) mod open_call;
pub(crate) mod plain;
pub(crate) mod prose;
pub(crate) mod quote;
pub(crate) mod scan;
pub(crate) mod section;
pub(crate) mod tools;
pub(crate) mod trial;
pub(crate) mod value;
pub(crate) mod wait;
pub(crate) mod whole;
pub(crate) mod word;
