//! The rules of calls in tags with attributes, but for those of values: text, sections, calls, objects.
