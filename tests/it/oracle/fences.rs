//! `fences = quote`: the places of the visible text that are Markdown code.

/// Reads the visible text, character by character.
#[derive(Clone, Debug)]
pub struct Fences {
    /// Whether this line has only blanks so far.
    line_start: bool,
    /// The run of back-ticks or tildes that is being read: its sign, its length, and whether its line began with it.
    run: Option<(char, usize, bool)>,
    /// The open fence: its sign and its length.
    fence: Option<(char, usize)>,
    /// The open inline code: the number of back-ticks that close it.
    inline: Option<usize>,
}

impl Fences {
    pub fn new() -> Self {
        Fences { line_start: true, run: None, fence: None, inline: None }
    }

    /// Reads the next character of text.
    pub fn text(&mut self, c: char) {
        if let Some((sign, length, first)) = self.run {
            if sign == c {
                self.run = Some((sign, length + 1, first));
                return;
            }
        }
        self.end_run();
        match c {
            '\n' => {
                self.line_start = true;
                self.inline = None;
            }
            '`' | '~' => {
                self.run = Some((c, 1, self.line_start));
                self.line_start = false;
            }
            ' ' | '\t' => {}
            _ => self.line_start = false,
        }
    }

    /// Whether a `<` that comes next would be inside code.
    pub fn quoted(&mut self) -> bool {
        self.end_run();
        self.fence.is_some() || self.inline.is_some()
    }

    fn end_run(&mut self) {
        let Some((sign, length, first)) = self.run.take() else { return };
        match (self.fence, self.inline) {
            (Some((open, at_least)), _) if first && sign == open && length >= at_least => {
                self.fence = None;
            }
            (Some(_), _) => {}
            (None, None) if first && length >= 3 => self.fence = Some((sign, length)),
            (None, None) if sign == '`' => self.inline = Some(length),
            (None, Some(open)) if sign == '`' && length == open => self.inline = None,
            _ => {}
        }
    }
}
