//! JSON for people: an object or a list stands on one line where it fits.

/// The most bytes of a line, a comma after the value included.
const WIDTH: usize = 100;

/// JSON that is written without white space, in lines.
pub(super) fn laid_out(json: &str) -> String {
    let mut out = String::with_capacity(json.len() * 2);
    write(json, 0, &mut out);
    out
}

/// Writes a value into a line that is set in by `depth`.
fn write(value: &str, depth: usize, out: &mut String) {
    if !value.starts_with(['{', '[']) || value.len() == 2 {
        return out.push_str(value);
    }
    let (open, rest) = value.split_at(1);
    let (inner, close) = rest.split_at(rest.len() - 1);
    let column = out.len() - out.rfind('\n').map_or(0, |line| line + 1);
    let spaces = outside_strings(value).filter(|(_, c)| matches!(c, ',' | ':')).count();
    let one_line = column + value.len() + spaces < WIDTH;
    let set_in = if one_line { depth } else { depth + 1 };
    let new_line = |depth: usize| match one_line {
        true => String::new(),
        false => "\n".to_string() + &"  ".repeat(depth),
    };
    out.push_str(open);
    for (at, item) in items(inner).enumerate() {
        out.push_str(if at > 0 { "," } else { "" });
        out.push_str(if at > 0 && one_line { " " } else { "" });
        out.push_str(&new_line(set_in));
        let colon = outside_strings(item).find(|(_, c)| *c == ':' && item.starts_with('"'));
        let value = colon.map_or(item, |(colon, _)| &item[colon + 1..]);
        if let Some((colon, _)) = colon {
            out.push_str(&item[..=colon]);
            out.push(' ');
        }
        write(value, set_in, out);
    }
    out.push_str(&new_line(depth));
    out.push_str(close);
}

/// The members of an object or the items of a list.
fn items(inner: &str) -> impl Iterator<Item = &str> {
    let mut depth = 0;
    let commas = outside_strings(inner).filter(move |(_, c)| {
        match c {
            '{' | '[' => depth += 1,
            '}' | ']' => depth -= 1,
            _ => {}
        }
        *c == ',' && depth == 0
    });
    let mut start = 0;
    commas.map(|(at, _)| at).chain([inner.len()]).map(move |end| {
        let item = &inner[start..end];
        start = end + 1;
        item
    })
}

/// What stands in no string.
fn outside_strings(json: &str) -> impl Iterator<Item = (usize, char)> {
    let (mut in_string, mut escaped) = (false, false);
    json.char_indices().filter(move |(_, c)| {
        let outside = !in_string && *c != '"';
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '"' => in_string = !in_string,
            _ => {}
        }
        outside
    })
}
