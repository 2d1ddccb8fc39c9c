//! A column's rows, of every type that holds text.
//!
//! Rows are bytes, also in string columns: nobody has checked that they are UTF-8. (A Parquet file may claim that they
//! are strings, and its readers believe it.)

use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, BinaryArray, LargeBinaryArray};
use arrow_schema::DataType;
use arrow_select::take::take;

/// Gives each row of a column, null as `None`. An error names a type that holds no text.
pub fn rows(column: &ArrayRef, give: &mut impl FnMut(Option<&[u8]>)) -> Result<(), String> {
    match column.data_type() {
        DataType::Utf8 => {
            BinaryArray::from(column.as_string::<i32>().clone()).iter().for_each(give);
        }
        DataType::LargeUtf8 => {
            LargeBinaryArray::from(column.as_string::<i64>().clone()).iter().for_each(give);
        }
        DataType::Utf8View => {
            column.as_string_view().clone().to_binary_view().iter().for_each(give);
        }
        DataType::Binary => column.as_binary::<i32>().iter().for_each(give),
        DataType::LargeBinary => column.as_binary::<i64>().iter().for_each(give),
        DataType::BinaryView => column.as_binary_view().iter().for_each(give),
        DataType::Null => (0..column.len()).for_each(|_| give(None)),
        DataType::Dictionary(..) => return rows(&unpacked(column)?, give),
        other => {
            return Err(format!(
                "a column of {other} holds no text: give one of utf8, large_utf8, utf8_view, binary, large_binary, \
                 binary_view, or a dictionary of those"
            ));
        }
    }
    Ok(())
}

/// Unpacks a dictionary's rows. Equal texts are parsed again, since the parsed column is no dictionary.
fn unpacked(column: &ArrayRef) -> Result<ArrayRef, String> {
    let dictionary = column.as_any_dictionary();
    take(dictionary.values(), dictionary.keys(), None).map_err(|error| error.to_string())
}
