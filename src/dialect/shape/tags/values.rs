//! Nothing: [`tags`](crate::family::tags) reads values in tags with attributes.
