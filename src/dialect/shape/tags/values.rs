//! The rules of values in tags with attributes: a closer is confirmed by what follows it, and where it is lost, what
//! closes or opens a call shows it.
