//! Makes a source that holds all mutants: each changed place asks `crate::mutants::is(N)` whether the mutant of that
//! number runs. Text is inserted around the code, never copied. So a place within a place can be changed, too.

use std::collections::{BTreeMap, HashMap};
use std::ops::Range;

use anyhow::{Context, Result};

use crate::list::{Mutant, Place, State};
use crate::sites::{Kind, NEEDED, Site, sites};

/// The mutants of each part of the rewritten text, so that errors there can be assigned to them.
pub type Owners = Vec<(Range<usize>, Vec<usize>)>;

/// A file with its mutants in it.
pub struct Rewritten {
    pub text: String,
    pub owners: Owners,
}

/// Text to insert at an offset, and its mutants.
struct Insertion {
    at: usize,
    /// The order of insertions: closers before openers; inner closers before outer ones, outer openers before inner.
    rank: (u8, isize),
    pieces: Vec<(String, Vec<usize>)>,
}

/// Rewrites a file. Mutants without a place in it, or whose place refuses them, are marked so.
pub fn rewrite(text: &str, mutants: &mut [Mutant], here: &[usize]) -> Result<Rewritten> {
    let sites = sites(text).context("syn cannot read it")?;
    let mut groups: HashMap<(String, Place), Vec<usize>> = HashMap::new();
    for &id in here {
        let mutant = &mut mutants[id];
        match sites.get(&(mutant.genre.clone(), mutant.place)) {
            _ if mutant.state != State::Made => {}
            None => mutant.state = State::LeftOut("no such place is found".into()),
            Some(Site { refused: Some(NEEDED), .. }) => mutant.state = State::DoesNotCompile,
            Some(Site { refused: Some(why), .. }) => {
                mutant.state = State::LeftOut((*why).to_string());
            }
            Some(_) => groups.entry((mutant.genre.clone(), mutant.place)).or_default().push(id),
        }
    }
    let mut edits = Edits { text, insertions: Vec::new(), removed: BTreeMap::new() };
    for (place, ids) in groups {
        edits.site(&sites[&place], &ids, mutants);
    }
    edits.drop_inner(mutants);
    Ok(edits.apply())
}

struct Edits<'t> {
    text: &'t str,
    insertions: Vec<Insertion>,
    /// Starts and ends of the removed parts.
    removed: BTreeMap<usize, usize>,
}

impl Edits<'_> {
    fn before(&mut self, site: &Site, at: usize, text: &str, ids: &[usize]) {
        let rank = (1, site.order as isize);
        self.insertions.push(Insertion { at, rank, pieces: vec![(text.into(), ids.to_vec())] });
    }

    fn after(&mut self, site: &Site, at: usize, pieces: Vec<(String, Vec<usize>)>) {
        self.insertions.push(Insertion { at, rank: (0, -(site.order as isize)), pieces });
    }

    fn replace(&mut self, site: &Site, range: &Range<usize>, text: &str, ids: &[usize]) {
        self.removed.insert(range.start, range.end);
        self.before(site, range.start, text, ids);
    }

    fn site(&mut self, site: &Site, ids: &[usize], mutants: &[Mutant]) {
        let value = |id: &usize| mutants[*id].replacement.as_str();
        match &site.kind {
            Kind::Body(start) => {
                for id in ids {
                    let ask = format!("if crate::mutants::is({id}) {{ return {}; }} ", value(id));
                    self.before(site, *start, &ask, &[*id]);
                }
            }
            Kind::Binary { left, operator, right } => {
                self.binary(site, (left, operator, right), ids, mutants);
            }
            Kind::Unary { operator, operand } => {
                let name = if &self.text[operator.clone()] == "!" { "not" } else { "neg" };
                let call = format!("crate::mutants::{name}({}, ", ids[0]);
                self.replace(site, operator, &call, ids);
                self.after(site, operand.end, vec![(")".into(), ids.to_vec())]);
            }
            Kind::Guard(guard) => {
                let [mut always, mut never] = [String::new(), String::new()];
                for id in ids {
                    match value(id) {
                        "true" => always = format!("crate::mutants::is({id}) || "),
                        _ => never = format!("!crate::mutants::is({id}) && "),
                    }
                }
                self.before(site, guard.start, &format!("({always}{never}("), ids);
                self.after(site, guard.end, vec![("))".into(), ids.to_vec())]);
            }
            Kind::Arm { pattern, guard } => {
                let here = format!("!crate::mutants::is({})", ids[0]);
                match guard {
                    Some(guard) => {
                        self.before(site, guard.start, &format!("{here} && ("), ids);
                        self.after(site, guard.end, vec![(")".into(), ids.to_vec())]);
                    }
                    None => self.after(site, *pattern, vec![(format!(" if {here}"), ids.to_vec())]),
                }
            }
            Kind::Field { .. } => self.field(site, ids),
        }
    }

    fn binary(
        &mut self,
        site: &Site,
        (left, operator, right): (&Range<usize>, &Range<usize>, &Range<usize>),
        ids: &[usize],
        mutants: &[Mutant],
    ) {
        let text = self.text;
        let sign = &text[operator.clone()];
        let end = |pieces: &str| vec![(pieces.to_string(), ids.to_vec())];
        // `other` is the question for each mutant and, at last, the original text.
        let choice = |left: &str| {
            let mut pieces: Vec<(String, Vec<usize>)> = Vec::new();
            for id in ids {
                let other = &mutants[*id].replacement;
                pieces.push((format!("if crate::mutants::is({id}) {{ "), ids.to_vec()));
                pieces.push((format!("{left} {other} r"), vec![*id]));
                pieces.push((" } else ".into(), ids.to_vec()));
            }
            pieces.push((format!("{{ {left} {sign} r }} }} }})"), ids.to_vec()));
            pieces
        };
        match sign {
            "&&" | "||" => {
                let is = format!("crate::mutants::is({})", ids[0]);
                let (same, otherwise) =
                    if sign == "&&" { ("!=", is.clone()) } else { ("==", format!("!{is}")) };
                self.before(site, left.start, &format!("(if {is} {same} ("), ids);
                self.replace(site, operator, ") { ", ids);
                self.after(site, right.end, end(&format!(" }} else {{ {otherwise} }})")));
            }
            _ if sign.len() > 1
                && sign.ends_with('=')
                && !["==", "!=", "<=", ">="].contains(&sign) =>
            {
                let place = text[left.clone()].to_string();
                self.removed.insert(left.start, left.end);
                self.replace(site, operator, "(match (", ids);
                let mut pieces = end(") { r => { ");
                pieces.extend(choice(&place));
                self.after(site, right.end, pieces);
            }
            _ => {
                let by = if ["==", "!=", "<=", ">=", "<", ">"].contains(&sign) { "&" } else { "" };
                self.before(site, left.start, &format!("(match ({by}("), ids);
                self.replace(site, operator, &format!("), {by}("), ids);
                let mut pieces = end(")) { (l, r) => { ");
                pieces.extend(choice("l"));
                self.after(site, right.end, pieces);
            }
        }
    }

    fn field(&mut self, site: &Site, ids: &[usize]) {
        let Kind::Field { path, name, value, end, base } = &site.kind else { return };
        let base = &self.text[base.clone()];
        let other = match base {
            "Default::default()" => format!("{{ let base: {path} = {base}; base.{name} }}"),
            base => format!("({base}).{name}"),
        };
        let ask = format!("if crate::mutants::is({}) {{ {other} }} else {{ ", ids[0]);
        match value {
            Some(value) => {
                self.before(site, value.start, &ask, ids);
                self.after(site, value.end, vec![(" }".into(), ids.to_vec())]);
            }
            None => self.after(site, *end, vec![(format!(": {ask}{name} }}"), ids.to_vec())]),
        }
    }

    /// Drops mutants in a removed text: the target of `a[i + 1] += 2` gets no question.
    fn drop_inner(&mut self, mutants: &mut [Mutant]) {
        let removed = &self.removed;
        let within = |at: usize| removed.range(..at).next_back().is_some_and(|(_, end)| at < *end);
        let (gone, kept) = std::mem::take(&mut self.insertions)
            .into_iter()
            .partition::<Vec<_>, _>(|insertion| within(insertion.at));
        self.insertions = kept;
        for id in gone.iter().flat_map(|insertion| &insertion.pieces).flat_map(|(_, ids)| ids) {
            mutants[*id].state = State::LeftOut("in the target of an assignment".into());
        }
    }

    fn apply(mut self) -> Rewritten {
        self.insertions.sort_by_key(|insertion| (insertion.at, insertion.rank));
        let (mut text, mut owners, mut at) = (String::new(), Owners::new(), 0);
        for insertion in &self.insertions {
            self.copy(&mut text, &mut at, insertion.at);
            for (piece, ids) in &insertion.pieces {
                owners.push((text.len()..text.len() + piece.len(), ids.clone()));
                text.push_str(piece);
            }
        }
        self.copy(&mut text, &mut at, self.text.len());
        Rewritten { text, owners }
    }

    /// Copies the text up to an offset, without the removed parts.
    fn copy(&self, text: &mut String, at: &mut usize, to: usize) {
        while *at < to {
            let next = self.removed.range(*at..to).next();
            let stop = next.map_or(to, |(start, _)| *start);
            text.push_str(&self.text[*at..stop]);
            *at = next.map_or(to, |(_, end)| *end);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the text with this one mutant in it, at the first place of `at`.
    fn with(text: &str, genre: &str, at: &str, replacements: &[&str]) -> (String, State) {
        let offset = text.find(at).expect("it is there");
        let line = text[..offset].matches('\n').count() + 1;
        let column = offset - text[..offset].rfind('\n').map_or(0, |at| at + 1) + 1;
        let mutant = |replacement: &&str| Mutant {
            file: "src/json/mod.rs".into(),
            what: String::new(),
            nth: 1,
            genre: genre.into(),
            replacement: (*replacement).to_string(),
            place: Place { line, column },
            state: State::Made,
        };
        let mut mutants: Vec<Mutant> = replacements.iter().map(mutant).collect();
        let here: Vec<usize> = (0..mutants.len()).collect();
        let rewritten = rewrite(text, &mut mutants, &here).expect("syn reads it");
        syn::parse_file(&rewritten.text).expect("it is Rust");
        (rewritten.text, mutants[0].state.clone())
    }

    #[test]
    fn a_question_for_each_kind() {
        let is = "crate::mutants::is";
        for (text, genre, at, replacements, expected) in [
            (
                "fn f() -> u8 { g() }",
                "FnValue",
                "g()",
                &["0", "1"][..],
                format!(
                    "fn f() -> u8 {{ if {is}(0) {{ return 0; }} if {is}(1) {{ return 1; }} g() }}"
                ),
            ),
            (
                "fn f() -> bool { a && b }",
                "BinaryOperator",
                "&&",
                &["||"],
                format!("fn f() -> bool {{ (if {is}(0) != (a ) {{  b }} else {{ {is}(0) }}) }}"),
            ),
            (
                "fn f() { x[1] += y; }",
                "BinaryOperator",
                "+=",
                &["-="],
                format!(
                    "fn f() {{  (match ( y) {{ r => {{ if {is}(0) {{ x[1] -= r }} else {{ x[1] += r }} }} }}); }}"
                ),
            ),
            (
                "fn f() -> bool { !a }",
                "UnaryOperator",
                "!",
                &[""],
                "fn f() -> bool { crate::mutants::not(0, a) }".into(),
            ),
            (
                "fn f() { match a { b if c => d, _ => e } }",
                "MatchArmGuard",
                "c =>",
                &["true", "false"],
                format!(
                    "fn f() {{ match a {{ b if ({is}(0) || !{is}(1) && (c)) => d, _ => e }} }}"
                ),
            ),
            (
                "fn f() { match a { 1 => d, _ => e } }",
                "MatchArm",
                "1",
                &[""],
                format!("fn f() {{ match a {{ 1 if !{is}(0) => d, _ => e }} }}"),
            ),
            (
                "fn f() -> S { S { a, ..b } }",
                "StructField",
                "a,",
                &[""],
                format!("fn f() -> S {{ S {{ a: if {is}(0) {{ (b).a }} else {{ a }}, ..b }} }}"),
            ),
        ] {
            let (rewritten, state) = with(text, genre, at, replacements);
            assert_eq!(rewritten, expected);
            assert_eq!(state, State::Made);
        }
    }

    #[test]
    fn each_operand_is_asked_for_once() {
        let text = "fn f() -> bool { a + 1 < b }";
        let (rewritten, _) = with(text, "BinaryOperator", "<", &["==", ">"]);
        assert_eq!(rewritten.matches("a + 1").count(), 1, "{rewritten}");
        assert!(rewritten.contains("(match (&(a + 1 ), &( b)) { (l, r) =>"), "{rewritten}");
    }

    #[test]
    fn no_question_where_there_can_be_none() {
        for (text, genre, at) in [
            ("const A: u8 = 1 + 2;", "BinaryOperator", "+"),
            ("const fn f() -> u8 { 1 + 2 }", "BinaryOperator", "+"),
            ("fn f() -> impl Iterator { g() }", "FnValue", "g()"),
            ("fn f() { g() }", "BinaryOperator", "g()"),
        ] {
            let (rewritten, state) = with(text, genre, at, &["-"]);
            assert_eq!(rewritten, text);
            assert!(matches!(state, State::LeftOut(_)), "{text}: {state:?}");
        }
        let needed = "fn f() { match a { 1 => d, 2 => e } }";
        assert_eq!(with(needed, "MatchArm", "1", &[""]).1, State::DoesNotCompile);
    }
}
