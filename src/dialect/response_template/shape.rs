//! The regular expressions of response templates, as shapes, as far as a marker can express them. No regular
//! expression runs in the stream.
//!
//! ```text
//! pattern := way ( "|" way )*           way  := atom*
//! atom    := one quantifier?            one  := character | escape | class | "." | "(?:" pattern ")"
//!                                              | "(?P<" name ">" pattern ")" | "^" | "$" | "\A" | "\Z"
//! quantifier := "*" | "+" | "?" , perhaps lazy ("?")
//! ```

use std::iter::Peekable;
use std::str::Chars as Text;

use crate::family::fields::chars::{ALPHANUMERIC, Chars};

/// Part of a shape.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Item {
    Lit(String),
    /// A number of characters of a class, or as many as come.
    Run {
        chars: Chars,
        min: u16,
        max: Option<u16>,
    },
    /// Anything up to the next item.
    Until,
    /// A `Run` or `Until`, captured under a name.
    Named(String, Box<Item>),
    Start,
    End,
}

/// Parts in a row.
pub(super) type Shape = Vec<Item>;

/// Most ways of one expression.
const WAYS: usize = 32;
const DIGITS: &str = "0123456789";

impl Item {
    pub fn is_white(&self) -> bool {
        matches!(self, Item::Run { chars, .. } if " \t\r\n".chars().any(|c| chars.has(c))
            && !('!'..='~').any(|c| chars.has(c)) && !chars.has('é'))
    }
}

/// Returns all ways in which an expression can match.
///
/// # Errors
/// The part of the expression that no shape has.
pub(super) fn shapes(expression: &str) -> Result<Vec<Shape>, String> {
    let mut reader = Reader { rest: expression.chars().peekable() };
    let ways = reader.ways()?;
    match reader.rest.next() {
        None => Ok(ways.into_iter().map(joined).collect()),
        Some(_) => Err("a `)` too many".into()),
    }
}

/// Joins neighbouring literals.
fn joined(shape: Shape) -> Shape {
    let mut out = Shape::new();
    for item in shape {
        match (out.last_mut(), item) {
            (Some(Item::Lit(before)), Item::Lit(text)) => before.push_str(&text),
            (_, item) => out.push(item),
        }
    }
    out
}

struct Reader<'a> {
    rest: Peekable<Text<'a>>,
}

impl Reader<'_> {
    fn ways(&mut self) -> Result<Vec<Shape>, String> {
        let mut all = self.way()?;
        while self.rest.next_if_eq(&'|').is_some() {
            all.extend(self.way()?);
        }
        match all.len() {
            0..=WAYS => Ok(all),
            _ => Err(format!("more than {WAYS} ways")),
        }
    }

    fn way(&mut self) -> Result<Vec<Shape>, String> {
        let mut ways = vec![Shape::new()];
        while self.rest.peek().is_some_and(|c| !matches!(c, '|' | ')')) {
            let atom = self.atom()?;
            let mut longer = Vec::new();
            for before in &ways {
                longer.extend(atom.iter().map(|next| [&**before, next].concat()));
            }
            ways = longer;
            if ways.len() > WAYS {
                return Err(format!("more than {WAYS} ways"));
            }
        }
        Ok(ways)
    }

    fn atom(&mut self) -> Result<Vec<Shape>, String> {
        let item = match self.next()? {
            '(' => {
                let group = self.group()?;
                return self.optional(group);
            }
            '^' => Item::Start,
            '$' => Item::End,
            '.' => return self.run(Chars::except(""), true),
            '[' => {
                let chars = self.class()?;
                return self.run(chars, false);
            }
            '\\' => match self.next()? {
                'A' => Item::Start,
                'Z' => Item::End,
                c => match escaped_class(c) {
                    Some(chars) => return self.run(chars, false),
                    None => return self.literal(escaped(c)?),
                },
            },
            c @ ('*' | '+' | '?' | '{' | ')') => return Err(format!("a `{c}` after nothing")),
            c => return self.literal(c),
        };
        Ok(vec![vec![item]])
    }

    fn next(&mut self) -> Result<char, String> {
        self.rest.next().ok_or_else(|| "it ends too early".into())
    }

    /// Reads a character, perhaps with a quantifier.
    fn literal(&mut self, c: char) -> Result<Vec<Shape>, String> {
        match self.rest.peek() {
            Some('*' | '+' | '{') if !c.is_ascii() => Err(format!("a repeated `{c}`")),
            Some('*' | '+' | '{') => self.run(Chars::only(c.encode_utf8(&mut [0; 4])), false),
            Some('?') if c.is_ascii() => self.run(Chars::only(c.encode_utf8(&mut [0; 4])), false),
            _ => self.optional(vec![vec![Item::Lit(c.into())]]),
        }
    }

    /// Reads a class, perhaps with a quantifier.
    fn run(&mut self, chars: Chars, any: bool) -> Result<Vec<Shape>, String> {
        let (min, max) = match self.rest.next_if(|c| matches!(c, '*' | '+' | '?' | '{')) {
            Some('*') => (0, None),
            Some('+') => (1, None),
            Some('?') => (0, Some(1)),
            Some(_) => return Err("a counted repetition".into()),
            None => (1, Some(1)),
        };
        let lazy = max != Some(1) && self.rest.next_if_eq(&'?').is_some();
        Ok(vec![vec![match (any, lazy) {
            (true, true) => Item::Until,
            (true, false) if max.is_none() => {
                return Err("a `.*` that is not lazy: a stream cannot find its end".into());
            }
            _ => Item::Run { chars, min, max },
        }]])
    }

    /// Reads a group, after its bracket.
    fn group(&mut self) -> Result<Vec<Shape>, String> {
        let mut name = None;
        if self.rest.next_if_eq(&'?').is_some() {
            match self.next()? {
                ':' => {}
                'P' if self.next()? == '<' => {
                    let mut text = String::new();
                    while let Some(c) = self.rest.next_if(|c| *c != '>') {
                        text.push(c);
                    }
                    name = Some(text);
                    self.next()?;
                }
                c => return Err(format!("a group `(?{c}`")),
            }
        }
        let ways = self.ways()?;
        if self.rest.next() != Some(')') {
            return Err("a group that does not end".into());
        }
        let Some(name) = name else { return Ok(ways) };
        match ways.as_slice() {
            [way] => match way.as_slice() {
                [item @ (Item::Run { .. } | Item::Until)] => {
                    Ok(vec![vec![Item::Named(name, Box::new(item.clone()))]])
                }
                _ => Err(format!("the group `{name}` is more than one class of characters")),
            },
            _ => Err(format!("the group `{name}` has several ways")),
        }
    }

    /// Reads an optional group. A repeated group counts as one.
    fn optional(&mut self, mut ways: Vec<Shape>) -> Result<Vec<Shape>, String> {
        match self.rest.next_if(|c| matches!(c, '*' | '+' | '?' | '{')) {
            Some('?') => {
                ways.push(Shape::new());
                Ok(ways)
            }
            Some(_) => Err("a group that repeats".into()),
            None => Ok(ways),
        }
    }

    /// Reads a class, after its bracket.
    fn class(&mut self) -> Result<Chars, String> {
        let not = self.rest.next_if_eq(&'^').is_some();
        let (mut list, mut letters) = (String::new(), false);
        loop {
            let c = match self.next()? {
                ']' => break,
                '\\' => match self.next()? {
                    'w' => {
                        list.push_str(ALPHANUMERIC);
                        list.push('_');
                        letters = true;
                        continue;
                    }
                    's' => {
                        list.push_str(" \t\r\n");
                        continue;
                    }
                    'd' => {
                        list.push_str(DIGITS);
                        continue;
                    }
                    c => escaped(c)?,
                },
                c => c,
            };
            if !c.is_ascii() {
                return Err(format!("a class with `{c}`"));
            }
            let mut ahead = self.rest.clone();
            match (ahead.next(), ahead.next()) {
                (Some('-'), Some(last)) if last != ']' => {
                    self.rest = ahead;
                    list.extend((c..=last).filter(char::is_ascii));
                }
                _ => list.push(c),
            }
        }
        match (not, letters) {
            (true, true) => Err("a class of all but `\\w`".into()),
            (true, false) => Ok(Chars::except(&list)),
            (false, true) => Ok(Chars::letters_and(&list)),
            (false, false) => Ok(Chars::only(&list)),
        }
    }
}

fn escaped_class(c: char) -> Option<Chars> {
    Some(match c {
        'w' => Chars::letters_and(ALPHANUMERIC).and("_"),
        's' => Chars::WHITE,
        'S' => Chars::NO_WHITE,
        'd' => Chars::only(DIGITS),
        _ => return None,
    })
}

fn escaped(c: char) -> Result<char, String> {
    match c {
        'n' => Ok('\n'),
        'r' => Ok('\r'),
        't' => Ok('\t'),
        c if c.is_ascii_alphanumeric() => Err(format!("an escape `\\{c}`")),
        c => Ok(c),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lit(text: &str) -> Item {
        Item::Lit(text.into())
    }

    const WHITE: Item = Item::Run { chars: Chars::WHITE, min: 0, max: None };

    #[test]
    fn what_templates_use_is_read() {
        let word = Chars::letters_and(ALPHANUMERIC).and("_");
        let word = Item::Run { chars: word, min: 1, max: None };
        let named = |name: &str, item: Item| Item::Named(name.into(), Box::new(item));
        assert_eq!(
            shapes(r"<call>\s*<f=(?P<name>\w+)>.*?<\|m\|>").unwrap(),
            [vec![
                lit("<call>"),
                WHITE,
                lit("<f="),
                named("name", word),
                lit(">"),
                Item::Until,
                lit("<|m|>")
            ]]
        );
        assert_eq!(
            shapes(r"(?:^|<think>\s*)").unwrap(),
            [vec![Item::Start], vec![lit("<think>"), WHITE]]
        );
        let not = Item::Run { chars: Chars::except(">\n"), min: 1, max: None };
        assert_eq!(
            shapes(r"(?:<m>)?<p=(?P<key>[^>\n]+)>|$").unwrap(),
            [
                vec![lit("<m><p="), named("key", not.clone()), lit(">")],
                vec![lit("<p="), named("key", not), lit(">")],
                vec![Item::End]
            ]
        );
        let range = Item::Run { chars: Chars::only("abc-"), min: 0, max: Some(1) };
        assert_eq!(shapes("[a-c-]?").unwrap(), [vec![range]]);
    }

    #[test]
    fn what_is_no_shape_is_said() {
        for (expression, what) in [
            ("a.*b", "not lazy"),
            ("(?=a)", "a group `(?=`"),
            ("(?:a)+", "repeats"),
            ("a{2}", "counted"),
            (r"\bx", "an escape `\\b`"),
            ("(?P<name>ab)", "more than one class"),
            ("(a", "does not end"),
            ("a)", "too many"),
            ("[a", "too early"),
        ] {
            let error = shapes(expression).unwrap_err();
            assert!(error.contains(what), "{expression}: {error}");
        }
    }
}
