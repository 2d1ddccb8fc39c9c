//! The parsed column, built while its rows are read: of no row there is a message.

use std::fmt::Write;
use std::sync::Arc;

use arrow_array::builder::{
    ArrayBuilder, BooleanBufferBuilder, Int64Builder, LargeStringBuilder, StringBuilder,
};
use arrow_array::{ArrayRef, ListArray, StructArray};
use arrow_buffer::{NullBuffer, OffsetBuffer};
use arrow_schema::{DataType, Field, Fields};
use toolstream::{
    Event, Parser,
    calls::{CallReader, ReadCall},
};

use crate::input;

/// Reads each row of these chunks into one column.
pub fn parse(parser: &Parser, chunks: &[ArrayRef]) -> Result<ArrayRef, String> {
    let (mut parser, mut reader) = (parser.clone(), CallReader::new(parser));
    let (mut count, mut bytes) = (0, 0);
    for chunk in chunks {
        input::rows(chunk, &mut |row| {
            (count, bytes) = (count + 1, bytes + row.map_or(0, <[u8]>::len))
        })?;
    }
    let mut rows = Rows::with_capacity(count, bytes);
    for chunk in chunks {
        input::rows(chunk, &mut |row| rows.push(&mut parser, &mut reader, row))?;
    }
    rows.finish()
}

/// The type of the column: the same, whatever is read.
pub fn field() -> Field {
    Field::new("", DataType::Struct(fields()), true)
}

fn fields() -> Fields {
    Fields::from(vec![
        Field::new("text", DataType::LargeUtf8, true),
        Field::new("reasoning", DataType::LargeUtf8, true),
        Field::new("calls", list(call()), true),
        Field::new("finish", DataType::Utf8, true),
        Field::new("diagnostics", list(diagnostic()), true),
    ])
}

fn call() -> Fields {
    Fields::from(vec![
        Field::new("name", DataType::LargeUtf8, false),
        Field::new("arguments", DataType::LargeUtf8, false),
        Field::new("status", DataType::Utf8, false),
        Field::new("reason", DataType::Utf8, true),
        Field::new("id", DataType::LargeUtf8, true),
        Field::new("start", DataType::Int64, false),
        Field::new("end", DataType::Int64, false),
    ])
}

fn diagnostic() -> Fields {
    Fields::from(vec![
        Field::new("kind", DataType::Utf8, false),
        Field::new("at", DataType::Int64, false),
        Field::new("call", DataType::Int64, true),
    ])
}

fn list(of: Fields) -> DataType {
    DataType::List(Arc::new(item(of)))
}

fn item(of: Fields) -> Field {
    Field::new("item", DataType::Struct(of), false)
}

/// The columns so far.
struct Rows {
    text: LargeStringBuilder,
    reasoning: LargeStringBuilder,
    calls: Calls,
    finish: StringBuilder,
    diagnostics: Diagnostics,
    /// Rows that are not null.
    valid: BooleanBufferBuilder,
}

impl Rows {
    /// Makes room for so many rows with so many bytes in all. Each of the three longest columns may get all of the
    /// bytes: unwritten memory costs nothing, and growing costs a copy.
    fn with_capacity(rows: usize, bytes: usize) -> Rows {
        Rows {
            text: LargeStringBuilder::with_capacity(rows, bytes),
            reasoning: LargeStringBuilder::with_capacity(rows, bytes),
            calls: Calls {
                arguments: LargeStringBuilder::with_capacity(rows, bytes),
                ..Calls::default()
            },
            finish: StringBuilder::with_capacity(rows, rows * "tool_use".len()),
            diagnostics: Diagnostics::default(),
            valid: BooleanBufferBuilder::new(rows),
        }
    }

    fn push(&mut self, parser: &mut Parser, reader: &mut CallReader, row: Option<&[u8]>) {
        self.valid.append(row.is_some());
        match row {
            Some(row) => {
                self.read(parser, reader, row);
                // The bytes written before are the value.
                self.text.append_value("");
                self.reasoning.append_value("");
                self.finish.append_value("");
            }
            None => {
                self.text.append_null();
                self.reasoning.append_null();
                self.finish.append_null();
            }
        }
        self.calls.rows.push(self.calls.name.len());
        self.diagnostics.rows.push(self.diagnostics.kind.len());
    }

    fn read(&mut self, parser: &mut Parser, reader: &mut CallReader, row: &[u8]) {
        parser.reset();
        reader.reset();
        let Rows { text, reasoning, calls, finish, diagnostics, .. } = self;
        let mut take = |event: Event<&str>| {
            // To write to a builder is no error.
            let _ = match event {
                Event::TextContent(piece) => text.write_str(piece),
                Event::Reasoning(piece) => reasoning.write_str(piece),
                _ => Ok(()),
            };
            reader.push(event, &mut |call| calls.push(&call));
        };
        match std::str::from_utf8(row) {
            Ok(row) => parser.feed_into(row, &mut take),
            Err(_) => parser.feed_bytes_into(row, &mut take),
        }
        parser.finish_into(&mut take);
        reader.close(&mut |call| calls.push(&call));
        let _ = write!(finish, "{}", reader.ended());
        diagnostics.push(reader);
    }

    fn finish(mut self) -> Result<ArrayRef, String> {
        let nulls = NullBuffer::new(self.valid.finish());
        let nulls = Some(nulls).filter(|nulls| nulls.null_count() > 0);
        let columns: Vec<ArrayRef> = vec![
            Arc::new(self.text.finish()),
            Arc::new(self.reasoning.finish()),
            self.calls.finish(nulls.clone())?,
            Arc::new(self.finish.finish()),
            self.diagnostics.finish(nulls.clone())?,
        ];
        StructArray::try_new(fields(), columns, nulls)
            .map(to_ref)
            .map_err(|error| error.to_string())
    }
}

/// The calls of all rows.
#[derive(Default)]
struct Calls {
    /// The ends of the calls of each row.
    rows: Vec<usize>,
    name: LargeStringBuilder,
    arguments: LargeStringBuilder,
    status: StringBuilder,
    reason: StringBuilder,
    id: LargeStringBuilder,
    start: Int64Builder,
    end: Int64Builder,
}

impl Calls {
    fn push(&mut self, call: &ReadCall<'_>) {
        self.name.append_value(call.name);
        self.arguments.append_value(call.arguments);
        self.status.append_value(if call.may_run() { "complete" } else { "incomplete" });
        self.reason.append_option(call.reason.map(|reason| reason.to_string()));
        self.id.append_option(call.id);
        self.start.append_value(offset(call.range.start));
        self.end.append_value(offset(call.range.end));
    }

    fn finish(mut self, nulls: Option<NullBuffer>) -> Result<ArrayRef, String> {
        let columns: Vec<ArrayRef> = vec![
            Arc::new(self.name.finish()),
            Arc::new(self.arguments.finish()),
            Arc::new(self.status.finish()),
            Arc::new(self.reason.finish()),
            Arc::new(self.id.finish()),
            Arc::new(self.start.finish()),
            Arc::new(self.end.finish()),
        ];
        lists(call(), columns, &self.rows, nulls)
    }
}

/// The diagnostics of all rows.
#[derive(Default)]
struct Diagnostics {
    rows: Vec<usize>,
    kind: StringBuilder,
    at: Int64Builder,
    call: Int64Builder,
}

impl Diagnostics {
    fn push(&mut self, reader: &CallReader) {
        for found in reader.diagnostics() {
            self.kind.append_value(found.kind.as_str());
            self.at.append_value(offset(found.at));
            self.call.append_option(found.call.map(offset));
        }
    }

    fn finish(mut self, nulls: Option<NullBuffer>) -> Result<ArrayRef, String> {
        let columns: Vec<ArrayRef> = vec![
            Arc::new(self.kind.finish()),
            Arc::new(self.at.finish()),
            Arc::new(self.call.finish()),
        ];
        lists(diagnostic(), columns, &self.rows, nulls)
    }
}

/// Makes a list of structs for each row. `ends`: the end of each row's list.
fn lists(
    of: Fields,
    columns: Vec<ArrayRef>,
    ends: &[usize],
    nulls: Option<NullBuffer>,
) -> Result<ArrayRef, String> {
    if i32::try_from(ends.last().copied().unwrap_or_default()).is_err() {
        return Err("more than 2,147,483,647 calls or diagnostics in one column: give it in parts"
            .to_string());
    }
    let starts = [0].iter().chain(ends);
    let lengths = starts.zip(ends).map(|(start, end)| end - start);
    let offsets = OffsetBuffer::from_lengths(lengths);
    StructArray::try_new(of.clone(), columns, None)
        .and_then(|items| ListArray::try_new(Arc::new(item(of)), offsets, to_ref(items), nulls))
        .map(|lists| Arc::new(lists) as ArrayRef)
        .map_err(|error| error.to_string())
}

fn to_ref(array: StructArray) -> ArrayRef {
    Arc::new(array)
}

/// Bytes of a text that is in memory.
fn offset(bytes: usize) -> i64 {
    i64::try_from(bytes).unwrap_or(i64::MAX)
}
