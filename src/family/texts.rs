//! The texts of a family, one by one: for relatives of a dialect that differ only in their texts
//! ([`Dialect::renamed`](crate::Dialect::renamed)).

use std::borrow::Cow;

use super::written::mark::{Name, Piece};
use super::{
    block, elements, envelope, fields, head, headers, ids, kinds, listed, literals, python, react,
    tags, token, tried, written,
};
use crate::dialect::literals::Literals;
use crate::event::DiagnosticKind;
use crate::read::prose::Prose;

/// A value that holds texts.
pub(crate) trait EachText {
    /// Calls `each` with every text.
    fn each_text(&mut self, each: &mut dyn FnMut(&mut Box<str>));
}

impl EachText for Box<str> {
    fn each_text(&mut self, each: &mut dyn FnMut(&mut Box<str>)) {
        each(self);
    }
}

impl EachText for Cow<'static, str> {
    fn each_text(&mut self, each: &mut dyn FnMut(&mut Box<str>)) {
        let mut text = Box::from(&**self);
        each(&mut text);
        *self = Cow::Owned(text.into());
    }
}

impl<T: EachText> EachText for Vec<T> {
    fn each_text(&mut self, each: &mut dyn FnMut(&mut Box<str>)) {
        self.iter_mut().for_each(|of| of.each_text(each));
    }
}

impl<T: EachText> EachText for Option<T> {
    fn each_text(&mut self, each: &mut dyn FnMut(&mut Box<str>)) {
        self.iter_mut().for_each(|of| of.each_text(each));
    }
}

impl<T: EachText, const N: usize> EachText for [T; N] {
    fn each_text(&mut self, each: &mut dyn FnMut(&mut Box<str>)) {
        self.iter_mut().for_each(|of| of.each_text(each));
    }
}

impl EachText for DiagnosticKind {
    fn each_text(&mut self, _: &mut dyn FnMut(&mut Box<str>)) {}
}

impl EachText for Piece {
    fn each_text(&mut self, each: &mut dyn FnMut(&mut Box<str>)) {
        match self {
            Piece::Text(text) => each(text),
            Piece::Any(texts) => texts.each_text(each),
            Piece::Name(Name { prefix, not, .. }) => {
                prefix.each_text(each);
                not.each_text(each);
            }
            Piece::White | Piece::Word | Piece::SameTool | Piece::SameParam => {}
        }
    }
}

impl EachText for fields::mark::Piece {
    fn each_text(&mut self, each: &mut dyn FnMut(&mut Box<str>)) {
        if let fields::mark::Piece::Text(text) | fields::mark::Piece::Until(text) = self {
            each(text);
        }
    }
}

impl EachText for fields::Content {
    fn each_text(&mut self, each: &mut dyn FnMut(&mut Box<str>)) {
        match self {
            fields::Content::Calls => {}
            fields::Content::Arguments(literals) => literals.each_text(each),
            fields::Content::Tags { open, close, .. } => {
                open.each_text(each);
                close.each_text(each);
            }
            fields::Content::Lines { first, next, end, .. } => {
                first.each_text(each);
                next.each_text(each);
                each(end);
            }
        }
    }
}

impl<T: EachText, U: EachText> EachText for (T, U) {
    fn each_text(&mut self, each: &mut dyn FnMut(&mut Box<str>)) {
        self.0.each_text(each);
        self.1.each_text(each);
    }
}

impl EachText for headers::Part {
    fn each_text(&mut self, each: &mut dyn FnMut(&mut Box<str>)) {
        if let headers::Part::Token(token) = self {
            each(token);
        }
    }
}

impl EachText for tags::Other {
    fn each_text(&mut self, each: &mut dyn FnMut(&mut Box<str>)) {
        let (tags::Other::Id(called) | tags::Other::Number(called)) = self;
        each(called);
    }
}

/// The fields of a struct that hold texts.
macro_rules! each_text {
    ($($of:ty { $($field:ident),* $(,)? })*) => {$(
        impl EachText for $of {
            fn each_text(&mut self, each: &mut dyn FnMut(&mut Box<str>)) {
                $(self.$field.each_text(each);)*
            }
        }
    )*};
}

each_text! {
    Literals { quote }
    Prose { open, close, tokens, invented, marks, finals, sealed }
    block::Keys { key, value }
    block::Tags { open, close, also_open, stops, keyed, invented_turn, list_word, members }
    elements::Texts { call, param, wrapper }
    envelope::Argument { marks, named }
    envelope::Texts { start, message, ends, channel, constrain, thinks, author, to, prefix, argument }
    fields::Field { open, close }
    fields::Texts { text, content, thinks, calls }
    head::Head { open, prefix }
    headers::Texts { open, close, heads, beheaded, words, ends, stops }
    ids::Texts { open, close, begin, argument, end, prefix, result, stops }
    kinds::Texts { model, call, thinking, content, ends }
    listed::Suffixes { invented, reasoning }
    listed::Texts {
        section, call, separator, key, hint, value, suspects, named_closers, tokens, suffixes,
    }
    literals::Texts { head, close, literals, tags, stops, doubled }
    python::Leads { tags, word }
    python::Texts { open, close, prefix, tags, tag, function, leads, stops }
    react::Texts {
        thought, action, input, observation, question, answers, no_call, no_call_phrases, ends_reasoning,
    }
    tags::Element { head, close, name, typed }
    tags::Texts {
        open, close, call, end_call, param, end_param, names, typed, element, by_tag, lead, quotes, others, token_ends,
        object,
        stops,
    }
    tags::nested::Tags { texts, reserved }
    tags::nested::Texts { own, element, plain }
    tags::brackets::Texts { open, close, sep, stops }
    token::Texts { open, id, args, stops }
    tried::Texts { groups, stops }
    written::Argument { any, opener, next, declared, fresh, starts, close, suspects }
    written::Texts {
        section, heads, declared, if_declared, like_words, also, also_named, ends, argument, tags, stray, stops,
    }
}
