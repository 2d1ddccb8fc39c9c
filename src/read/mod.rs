//! The parts of every reader. None of them knows a dialect.
//!
//! | file | |
//! |---|---|
//! | [`cursor`] | a place in the text, and the primitives of readers |
//! | [`class`] | classes of characters |
//! | [`notes`], [`wait`] | what readers leave beside their answers, and what an undecided one waits for |
//! | [`scan`] | the next byte at which a marker of a state may begin |
//! | [`machine`] | the loop |
//! | [`plain`] | small chunks that change nothing |
//! | [`feed`] | the text of one feed, and how its bytes leave |
//! | [`act`] | what a marker that stands somewhere does: the answers of a family's readers |
//! | [`prose`] | text and reasoning |
//! | [`call`], [`section`], [`value`] | between parameters, between calls, in a value |
//! | [`explain`] | why a marker counts or does not |
//! | [`object`], [`quote`] | a body of JSON or of other literals, and quotes in its strings |
//! | [`word`] | markers that begin with the name of a tool |
//! | [`trial`] | an object that may be a call, or the answer |

pub(crate) mod act;
pub(crate) mod call;
pub(crate) mod class;
pub(crate) mod cursor;
pub(crate) mod explain;
pub(crate) mod feed;
pub(crate) mod line_starts;
pub(crate) mod machine;
pub(crate) mod notes;
pub(crate) mod object;
pub(crate) mod plain;
pub(crate) mod prose;
pub(crate) mod quote;
pub(crate) mod scan;
pub(crate) mod section;
pub(crate) mod trial;
pub(crate) mod value;
pub(crate) mod wait;
pub(crate) mod word;
