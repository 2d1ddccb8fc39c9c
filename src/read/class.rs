//! Classes of characters, for names, tags and white space.

/// The classes of each byte, a bit each. Bytes beyond ASCII have none: they are tested as characters.
static CLASSES: [u32; 256] = {
    let (mut classes, mut byte) = ([0; 256], 0);
    while byte < 0x80 {
        let mut class = 0;
        while class < Class::COUNT {
            classes[byte] |= (Class::ALL[class].has_ascii(byte as u8) as u32) << class;
            class += 1;
        }
        byte += 1;
    }
    classes
};

/// A class of characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Class {
    /// Space, tab, CR, LF.
    White,
    /// ASCII letters.
    Letters,
    /// Letters and digits, Unicode's too, and `_ . - / : + @ $`.
    Name,
    /// ASCII letters and digits, and `_ . -`.
    Word,
    /// All but `<`.
    NoTag,
    /// All but `<`, `>`, `=`, quotes and line breaks.
    Key,
    /// The value of an attribute without quotes. An escaped quote is no such value.
    Bare,
    /// All but `<`, `>` and line breaks: the rest of a tag behind its attributes.
    Rest,
    /// All but `<`, `>`, `/` and white space.
    TagName,
    /// ASCII letters and `_`.
    Keyword,
    /// ASCII digits.
    Digits,
    /// All but `{`, `<`, `[` and line breaks: words before a special token or an object.
    Words,
    /// Characters in quotes: all but `"` and a backslash.
    Quoted,
    /// All but `<` and line breaks: attributes between tokens.
    Line,
    /// ASCII digits and quotes.
    Number,
    /// Small ASCII letters, digits and `_`.
    LowWord,
    /// All but `<`, `>` and white space: the suffix of a tag.
    Suffix,
    /// Letters and digits, Unicode's too, and ASCII signs but `<` and `>`: the suffix of a stop token.
    Token,
    /// Letters and digits, Unicode's too, and `_ . -`: the characters inside a word.
    Spelled,
    /// Letters and digits, Unicode's too, and `_ -`: a Python keyword.
    Keyed,
    /// All but `"`.
    Unquoted,
    /// Back-ticks.
    Ticks,
    /// ASCII letters and digits, `_` and `-`: the info string of a code fence.
    Info,
    /// All but line feeds, back-ticks, `<`, `[` and `{`: the rest of a line behind the back-ticks of a fence
    /// of text.
    FenceLine,
    /// Space, tab, CR.
    Blank,
    /// Space, tab.
    Gap,
    /// ASCII letters and digits, and `_`.
    Ident,
    /// All but white space, colons, carets, quotes, brackets, commas and semicolons: a key at the start of a line.
    LineKey,
    /// `[`.
    Bracket,
}

impl Class {
    /// The number of classes.
    const COUNT: usize = 29;

    const ALL: [Class; Class::COUNT] = [
        Class::White,
        Class::Letters,
        Class::Name,
        Class::Word,
        Class::NoTag,
        Class::Key,
        Class::Bare,
        Class::Rest,
        Class::TagName,
        Class::Keyword,
        Class::Digits,
        Class::Words,
        Class::Quoted,
        Class::Line,
        Class::Number,
        Class::LowWord,
        Class::Suffix,
        Class::Token,
        Class::Spelled,
        Class::Keyed,
        Class::Unquoted,
        Class::Ticks,
        Class::Info,
        Class::FenceLine,
        Class::Blank,
        Class::Gap,
        Class::Ident,
        Class::LineKey,
        Class::Bracket,
    ];

    #[inline]
    pub fn has_byte(self, byte: u8) -> bool {
        CLASSES[usize::from(byte)] >> self as u8 & 1 != 0
    }

    /// Returns the words for more characters of the class.
    pub fn words(self) -> &'static str {
        match self {
            Class::White => "white space",
            Class::Name | Class::Spelled | Class::Keyed => "a name",
            _ => "more of its own characters",
        }
    }

    const fn has_ascii(self, byte: u8) -> bool {
        match self {
            Class::White => matches!(byte, b' ' | b'\t' | b'\r' | b'\n'),
            Class::Letters => byte.is_ascii_alphabetic(),
            Class::Name => {
                byte.is_ascii_alphanumeric()
                    || matches!(byte, b'_' | b'.' | b'-' | b'/' | b':' | b'+' | b'@' | b'$')
            }
            Class::Word => byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b'-'),
            Class::NoTag => byte != b'<',
            Class::Key => !matches!(byte, b'<' | b'>' | b'=' | b'"' | b'\'' | b'\n' | b'\r'),
            Class::Bare => !matches!(
                byte,
                b' ' | b'\t' | b'\r' | b'\n' | b'<' | b'>' | b'"' | b'\'' | b'/' | b'\\' | b'='
            ),
            Class::Rest => !matches!(byte, b'<' | b'>' | b'\r' | b'\n'),
            Class::TagName => !matches!(byte, b'<' | b'>' | b'/' | b' ' | b'\t' | b'\r' | b'\n'),
            Class::Keyword => byte.is_ascii_alphabetic() || byte == b'_',
            Class::Digits => byte.is_ascii_digit(),
            Class::Quoted => !matches!(byte, b'"' | b'\\'),
            Class::Line => !matches!(byte, b'<' | b'\r' | b'\n'),
            Class::Suffix => !matches!(byte, b'<' | b'>' | b' ' | b'\t' | b'\r' | b'\n'),
            Class::Token => byte.is_ascii_graphic() && !matches!(byte, b'<' | b'>'),
            Class::LowWord => matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'_'),
            Class::Number => byte.is_ascii_digit() || matches!(byte, b'"' | b'\''),
            Class::Spelled => byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b'-'),
            Class::Keyed => byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-'),
            Class::Unquoted => byte != b'"',
            Class::Ticks => byte == b'`',
            Class::Info => byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-'),
            Class::FenceLine => !matches!(byte, b'\n' | b'`' | b'<' | b'[' | b'{'),
            Class::Blank => matches!(byte, b' ' | b'\t' | b'\r'),
            Class::Gap => matches!(byte, b' ' | b'\t'),
            Class::Bracket => byte == b'[',
            Class::Ident => byte.is_ascii_alphanumeric() || byte == b'_',
            Class::LineKey => !matches!(
                byte,
                b' ' | b'\t'
                    | b'\r'
                    | b'\n'
                    | b':'
                    | b'^'
                    | b'"'
                    | b'\''
                    | b'`'
                    | b'<'
                    | b'>'
                    | b'('
                    | b')'
                    | b'['
                    | b']'
                    | b'{'
                    | b'}'
                    | b','
                    | b';'
            ),
            Class::Words => !matches!(byte, b'{' | b'<' | b'[' | b'\r' | b'\n'),
        }
    }

    pub fn has(self, c: char) -> bool {
        match u8::try_from(c) {
            Ok(byte @ 0..0x80) => self.has_byte(byte),
            _ => match self {
                Class::Name | Class::Token | Class::Spelled | Class::Keyed => c.is_alphanumeric(),
                Class::NoTag
                | Class::Key
                | Class::Bare
                | Class::Rest
                | Class::TagName
                | Class::Words
                | Class::Line
                | Class::Unquoted
                | Class::FenceLine
                | Class::Suffix
                | Class::LineKey
                | Class::Quoted => true,
                _ => false,
            },
        }
    }

    /// Returns the length of the run of the class at the start of a text, at most about `most`.
    #[inline]
    pub fn run(self, text: &str, most: usize) -> usize {
        let bytes = text.as_bytes();
        let near = &bytes[..bytes.len().min(most + 1)];
        let ascii = near.iter().position(|byte| !self.has_byte(*byte)).unwrap_or(near.len());
        match near.get(ascii) {
            Some(0x80..) => self.run_beyond_ascii(text, ascii, most),
            _ => ascii,
        }
    }

    #[inline(never)]
    fn run_beyond_ascii(self, text: &str, from: usize, most: usize) -> usize {
        let fits = |(at, c): &(usize, char)| *at <= most && self.has(*c);
        let last =
            text[from..].char_indices().map(|(at, c)| (from + at, c)).take_while(fits).last();
        last.map_or(from, |(at, c)| at + c.len_utf8())
    }
}
