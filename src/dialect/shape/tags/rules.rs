//! Nothing: [`tags`](crate::family::tags) reads calls in tags with attributes.
