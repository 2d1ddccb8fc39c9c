//! The places in a file where a mutant can be: `syn` finds them, with the text to insert around them. A
//! mutant is named by its kind and its start.

use std::collections::HashMap;
use std::ops::Range;

use proc_macro2::{LineColumn, Span};
use quote::ToTokens;
use syn::spanned::Spanned;
use syn::visit::{self, Visit};
use syn::{Block, Expr, Pat, Signature};

use crate::list::Place;

/// The code of a place.
#[derive(Clone, Debug)]
pub enum Kind {
    /// The start of a function's first statement.
    Body(usize),
    /// An operator between two operands, all as offsets.
    Binary { left: Range<usize>, operator: Range<usize>, right: Range<usize> },
    /// An operator before its operand.
    Unary { operator: Range<usize>, operand: Range<usize> },
    /// The condition of an arm.
    Guard(Range<usize>),
    /// An arm: where its pattern ends, and its condition.
    Arm { pattern: usize, guard: Option<Range<usize>> },
    /// A field of a struct that takes the rest from another: `name: value, ..base`.
    Field {
        path: String,
        name: String,
        value: Option<Range<usize>>,
        end: usize,
        base: Range<usize>,
    },
}

/// Without this arm the match does not compile.
pub const NEEDED: &str = "an arm that its match needs";

#[derive(Clone, Debug)]
pub struct Site {
    pub kind: Kind,
    /// In the order of the source, outer ones first.
    pub order: usize,
    /// The reason why no question is possible here.
    pub refused: Option<&'static str>,
}

/// All sites of a file, by kind as `cargo mutants` names it and by start.
pub fn sites(text: &str) -> syn::Result<HashMap<(String, Place), Site>> {
    let lines = std::iter::once(0).chain(text.match_indices('\n').map(|(at, _)| at + 1)).collect();
    let mut finder =
        Finder { text, lines, found: HashMap::new(), order: 0, constant: 0, needed: false };
    finder.visit_file(&syn::parse_file(text)?);
    Ok(finder.found)
}

struct Finder<'t> {
    text: &'t str,
    /// The start of each line.
    lines: Vec<usize>,
    found: HashMap<(String, Place), Site>,
    order: usize,
    /// The number of constants around this place: the compiler evaluates them, so no question is possible.
    constant: usize,
    /// The match that we are in needs each of its arms.
    needed: bool,
}

impl Finder<'_> {
    fn offset(&self, place: LineColumn) -> usize {
        let start = self.lines[place.line - 1];
        let column = self.text[start..].char_indices().nth(place.column);
        column.map_or(self.text.len(), |(at, _)| start + at)
    }

    fn range(&self, span: Span) -> Range<usize> {
        self.offset(span.start())..self.offset(span.end())
    }

    fn add(&mut self, genre: &str, at: Span, kind: Kind) {
        self.refuse(genre, at, kind, None);
    }

    fn refuse(&mut self, genre: &str, at: Span, kind: Kind, refused: Option<&'static str>) {
        let start = at.start();
        let place = Place { line: start.line, column: start.column + 1 };
        let refused = refused.or((self.constant > 0).then_some("in a constant"));
        self.order += 1;
        let site = Site { kind, order: self.order, refused };
        self.found.insert((genre.to_string(), place), site);
    }

    fn function(&mut self, signature: &Signature, block: &Block) {
        let returned = signature.output.to_token_stream().to_string();
        let hidden = returned.split_whitespace().any(|word| word == "impl");
        let refused = hidden.then_some("returns an unnamed type");
        let constant = usize::from(signature.constness.is_some());
        self.constant += constant;
        if let Some(first) = block.stmts.first() {
            let start = self.range(first.span()).start;
            self.refuse("FnValue", first.span(), Kind::Body(start), refused);
        }
        self.visit_block(block);
        self.constant -= constant;
    }

    fn constant(&mut self, walk: impl FnOnce(&mut Self)) {
        self.constant += 1;
        walk(self);
        self.constant -= 1;
    }
}

impl<'a> Visit<'a> for Finder<'_> {
    fn visit_item_fn(&mut self, item: &'a syn::ItemFn) {
        self.function(&item.sig, &item.block);
    }

    fn visit_impl_item_fn(&mut self, item: &'a syn::ImplItemFn) {
        self.function(&item.sig, &item.block);
    }

    fn visit_trait_item_fn(&mut self, item: &'a syn::TraitItemFn) {
        if let Some(block) = &item.default {
            self.function(&item.sig, block);
        }
    }

    fn visit_item_const(&mut self, item: &'a syn::ItemConst) {
        self.constant(|finder| visit::visit_item_const(finder, item));
    }

    fn visit_item_static(&mut self, item: &'a syn::ItemStatic) {
        self.constant(|finder| visit::visit_item_static(finder, item));
    }

    fn visit_impl_item_const(&mut self, item: &'a syn::ImplItemConst) {
        self.constant(|finder| visit::visit_impl_item_const(finder, item));
    }

    fn visit_trait_item_const(&mut self, item: &'a syn::TraitItemConst) {
        self.constant(|finder| visit::visit_trait_item_const(finder, item));
    }

    fn visit_expr_const(&mut self, item: &'a syn::ExprConst) {
        self.constant(|finder| visit::visit_expr_const(finder, item));
    }

    fn visit_type(&mut self, item: &'a syn::Type) {
        self.constant(|finder| visit::visit_type(finder, item));
    }

    fn visit_variant(&mut self, item: &'a syn::Variant) {
        self.constant(|finder| visit::visit_variant(finder, item));
    }

    fn visit_expr_binary(&mut self, item: &'a syn::ExprBinary) {
        let (left, right) = (self.range(item.left.span()), self.range(item.right.span()));
        let operator = self.range(item.op.span());
        self.add("BinaryOperator", item.op.span(), Kind::Binary { left, operator, right });
        visit::visit_expr_binary(self, item);
    }

    fn visit_expr_unary(&mut self, item: &'a syn::ExprUnary) {
        let (operator, operand) = (self.range(item.op.span()), self.range(item.expr.span()));
        self.add("UnaryOperator", item.op.span(), Kind::Unary { operator, operand });
        visit::visit_expr_unary(self, item);
    }

    fn visit_expr_match(&mut self, item: &'a syn::ExprMatch) {
        // `_` or a name; `None` is a name to syn, too.
        let all = |arm: &syn::Arm| match &arm.pat {
            _ if arm.guard.is_some() => false,
            Pat::Ident(name) => name.ident.to_string().starts_with(char::is_lowercase),
            pattern => matches!(pattern, Pat::Wild(_)),
        };
        let outer = std::mem::replace(&mut self.needed, !item.arms.iter().any(all));
        visit::visit_expr_match(self, item);
        self.needed = outer;
    }

    fn visit_arm(&mut self, item: &'a syn::Arm) {
        let guard = item.guard.as_ref().map(|(_, guard)| self.range(guard.span()));
        let pattern = self.range(item.pat.span()).end;
        let refused = (self.needed && guard.is_none()).then_some(NEEDED);
        self.refuse("MatchArm", item.span(), Kind::Arm { pattern, guard: guard.clone() }, refused);
        if let (Some((_, guard)), Some(range)) = (&item.guard, guard) {
            self.add("MatchArmGuard", guard.span(), Kind::Guard(range));
        }
        visit::visit_arm(self, item);
    }

    fn visit_expr_struct(&mut self, item: &'a syn::ExprStruct) {
        let path = &self.text[self.range(item.path.span())];
        let base = item.rest.as_deref().map(|base: &Expr| self.range(base.span()));
        for field in &item.fields {
            let Some(base) = base.clone() else { break };
            let value = field.colon_token.map(|_| self.range(field.expr.span()));
            let (path, name) = (path.to_string(), field.member.to_token_stream().to_string());
            let end = self.range(field.span()).end;
            let kind = Kind::Field { path, name, value, end, base };
            self.add("StructField", field.span(), kind);
        }
        visit::visit_expr_struct(self, item);
    }

    // The arguments of a macro are no expression yet, not even for `cargo mutants`.
    fn visit_attribute(&mut self, _: &'a syn::Attribute) {}
}
