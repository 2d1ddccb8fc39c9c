//! The changes of an open call's arguments from one look to the next.
//!
//! Seen values are remembered only by their shape: the length of a text, the number of a list's items, the keys of an object. Of
//! a list or an object only the last item or member that was seen can have changed: so a look costs the new bytes, and a
//! comparison at each level. All members are compared when the crate says that another one changed (a key that is written
//! twice).

use pyo3::prelude::*;
use pyo3::types::{PyList, PyString, PyTuple};
use serde_json::{Map, Value};
use toolstream::calls::PartialCall;

use crate::json;
use crate::record::record;

record! {
    /// A value of the open call's arguments that came, or that another one takes the place of.
    PartialValue as "partial_value" {
        /// The number of the call in the message, from 0.
        call: usize,
        /// The keys and indices that lead to it: `("edits", 0, "text")`.
        path: Py<PyTuple>,
        /// The value, as much of it as came.
        value: Py<PyAny>,
    }
}
record! {
    /// A piece that a text in the open call's arguments has grown by.
    PartialText as "partial_text" {
        /// The number of the call in the message, from 0.
        call: usize,
        /// The keys and indices that lead to the text.
        path: Py<PyTuple>,
        /// The piece.
        text: Py<PyString>,
    }
}

/// The arguments as they were at the last look.
#[derive(Clone, Default)]
pub struct Seen {
    last: Option<Look>,
    /// The number of values that were compared, for a test.
    pub compared: usize,
}

#[derive(Clone)]
struct Look {
    call: usize,
    revisions: usize,
    members: Members,
}

type Members = Vec<(String, Shape)>;

/// How many bytes at the end of a text are compared: a key that is written twice may replace a text between two looks.
const TAIL: usize = 32;

#[derive(Clone)]
enum Shape {
    Text {
        len: usize,
        tail: Vec<u8>,
    },
    /// The number of items, and the last one.
    List(usize, Option<Box<Shape>>),
    Object(Members),
    Other(Value),
}

impl Shape {
    fn of(value: &Value) -> Shape {
        match value {
            Value::String(text) => Shape::of_text(text),
            Value::Array(items) => Shape::of_list(items),
            Value::Object(members) => Shape::Object(shapes(members)),
            other => Shape::Other(other.clone()),
        }
    }

    fn of_text(text: &str) -> Shape {
        Shape::Text { len: text.len(), tail: tail(text.as_bytes()).to_vec() }
    }

    fn of_list(items: &[Value]) -> Shape {
        Shape::List(items.len(), items.last().map(|last| Box::new(Shape::of(last))))
    }
}

fn tail(bytes: &[u8]) -> &[u8] {
    &bytes[bytes.len().saturating_sub(TAIL)..]
}

fn shapes(members: &Map<String, Value>) -> Members {
    members.iter().map(|(key, value)| (key.clone(), Shape::of(value))).collect()
}

/// A step of a path.
#[derive(Clone, Copy)]
enum Step<'a> {
    Key(&'a str),
    Index(usize),
}

/// Takes down the changes of a call.
struct Changes<'py, 'a> {
    py: Python<'py>,
    call: usize,
    path: Vec<Step<'a>>,
    list: Bound<'py, PyList>,
    /// Any member may have changed, not only the last one that was seen.
    any: bool,
    compared: usize,
}

impl Seen {
    pub fn changes<'py>(
        &mut self,
        py: Python<'py>,
        open: PartialCall<'_>,
    ) -> PyResult<Bound<'py, PyList>> {
        let (call, input, revisions) = (open.call().index(), open.input(), open.revisions());
        let last = self.last.take().filter(|last| last.call == call);
        let any = last.as_ref().is_none_or(|last| last.revisions != revisions);
        let (path, list) = (Vec::new(), PyList::empty(py));
        let mut changes = Changes { py, call, path, list, any, compared: 0 };
        let mut kept = None;
        if let Some(Look { mut members, .. }) = last {
            kept = changes.members(&mut members, input)?.then_some(members);
        }
        let members = match kept {
            Some(members) => members,
            None => {
                changes.put(json::to_dict(py, input)?.into_any())?;
                shapes(input)
            }
        };
        self.last = Some(Look { call, revisions, members });
        self.compared += changes.compared;
        Ok(changes.list)
    }
}

impl<'a> Changes<'_, 'a> {
    fn path(&self) -> PyResult<Py<PyTuple>> {
        let step = |step: &Step<'_>| match step {
            Step::Key(key) => Ok(PyString::new(self.py, key).into_any()),
            Step::Index(index) => Ok(index.into_pyobject(self.py)?.into_any()),
        };
        let steps = self.path.iter().map(step).collect::<PyResult<Vec<_>>>()?;
        Ok(PyTuple::new(self.py, steps)?.unbind())
    }

    fn put(&self, value: Bound<'_, PyAny>) -> PyResult<()> {
        let (call, path) = (self.call, self.path()?);
        self.list.append(PartialValue { call, path, value: value.unbind() })
    }

    fn grow(&self, text: &str) -> PyResult<()> {
        let (call, path) = (self.call, self.path()?);
        let text = PyString::new(self.py, text).unbind();
        self.list.append(PartialText { call, path, text })
    }

    /// The changes of an object. False if it has other keys than it had: then it counts as a new one.
    fn members(&mut self, seen: &mut Members, members: &'a Map<String, Value>) -> PyResult<bool> {
        if members.len() < seen.len() {
            return Ok(false);
        }
        let from = if self.any { 0 } else { seen.len().saturating_sub(1) };
        // From the end: the way from the beginning costs a step for each member.
        let mut looked_at: Vec<_> = members.iter().rev().take(members.len() - from).collect();
        looked_at.reverse();
        if seen[from..].iter().zip(&looked_at).any(|(seen, (key, _))| seen.0 != **key) {
            return Ok(false);
        }
        for (at, (key, value)) in (from..).zip(looked_at) {
            self.path.push(Step::Key(key));
            match seen.get_mut(at) {
                Some((_, shape)) => self.value(shape, value)?,
                None => {
                    self.put(json::to_python(self.py, value)?)?;
                    seen.push((key.clone(), Shape::of(value)));
                }
            }
            self.path.pop();
        }
        Ok(true)
    }

    fn value(&mut self, seen: &mut Shape, value: &'a Value) -> PyResult<()> {
        self.compared += 1;
        let same = match (&mut *seen, value) {
            (Shape::Text { len, tail: end }, Value::String(text)) => {
                let was = text.as_bytes().get(..*len);
                let goes_on =
                    was.is_some_and(|was| tail(was) == end) && text.is_char_boundary(*len);
                if goes_on && text.len() > *len {
                    self.grow(&text[*len..])?;
                    *seen = Shape::of_text(text);
                }
                goes_on
            }
            (Shape::List(count, last), Value::Array(items)) if *count <= items.len() => {
                self.items(*count, last.as_deref_mut(), items)?;
                if *count < items.len() {
                    *seen = Shape::of_list(items);
                }
                true
            }
            (Shape::Object(keys), Value::Object(members)) => self.members(keys, members)?,
            (Shape::Other(was), value) => was == value,
            _ => false,
        };
        if !same {
            self.put(json::to_python(self.py, value)?)?;
            *seen = Shape::of(value);
        }
        Ok(())
    }

    fn items(
        &mut self,
        count: usize,
        last: Option<&mut Shape>,
        items: &'a [Value],
    ) -> PyResult<()> {
        if let Some(last) = last {
            self.path.push(Step::Index(count - 1));
            self.value(last, &items[count - 1])?;
            self.path.pop();
        }
        for (index, item) in items.iter().enumerate().skip(count) {
            self.path.push(Step::Index(index));
            self.put(json::to_python(self.py, item)?)?;
            self.path.pop();
        }
        Ok(())
    }
}
