//! A copy of the checkout in which all mutants are, built.

use std::collections::{BTreeSet, HashMap};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail, ensure};
use serde_json::Value;

use crate::list::{Mutant, State};
use crate::rewrite::{Owners, rewrite};

/// The checkout, the copy, and its builds.
pub struct Place {
    pub root: PathBuf,
    pub tree: PathBuf,
    pub target: PathBuf,
}

impl Place {
    pub fn new(root: &Path) -> Place {
        let here = root.join("target/mutants");
        Place { root: root.to_path_buf(), tree: here.join("tree"), target: here.join("build") }
    }

    /// A file of the results.
    pub fn file(&self, name: &str) -> PathBuf {
        self.root.join("target/mutants").join(name)
    }

    pub fn cargo(&self) -> Command {
        let mut cargo = Command::new("cargo");
        cargo.current_dir(&self.tree).env("CARGO_TARGET_DIR", &self.target);
        // The tests run ten thousand times: a longer build of their dependencies is worth it.
        cargo.args(["--config", "profile.test.package.\"*\".opt-level=1"]);
        cargo.env("CARGO_PROFILE_TEST_DEBUG", "0").env("CARGO_PROFILE_DEV_DEBUG", "0");
        cargo
    }
}

/// Copies the checkout and puts the mutants in, until the compiler takes the remaining ones.
pub fn build(place: &Place, mutants: &mut [Mutant]) -> Result<()> {
    copy(place)?;
    remember(place, mutants);
    for round in 1.. {
        let owners = write(place, mutants)?;
        // As `cover` builds it: with the features that the tests' own dependencies ask for.
        let what = ["--all-features", "--test", "mutant_vectors", "--message-format=json"];
        let out = place.cargo().args(["test", "--no-run"]).args(what).output()?;
        if out.status.success() {
            return Ok(());
        }
        let refused = refused(&String::from_utf8_lossy(&out.stdout), &owners, mutants)?;
        eprintln!("round {round}: the compiler refuses {} of the mutants", refused.len());
        for (id, alone) in refused {
            mutants[id].state = match alone {
                true => State::DoesNotCompile,
                false => State::LeftOut("the question does not compile".into()),
            };
        }
        fs::write(place.file("mutants.json"), serde_json::to_vec(mutants)?)?;
    }
    unreachable!("rounds have no end")
}

/// Remembers mutants that the compiler refused last time: it refuses them again where nothing has moved.
fn remember(place: &Place, mutants: &mut [Mutant]) {
    let last = fs::read(place.file("mutants.json")).unwrap_or_default();
    let last: Vec<Mutant> = serde_json::from_slice(&last).unwrap_or_default();
    let last: HashMap<_, _> = last.into_iter().map(|one| ((one.key(), one.place), one)).collect();
    for mutant in mutants {
        if let Some(last) = last.get(&(mutant.key(), mutant.place)) {
            mutant.state = last.state.clone();
        }
    }
}

/// Copies the files that git knows, if they differ: unchanged files are not built again.
fn copy(place: &Place) -> Result<()> {
    let known = ["ls-files", "-z", "--cached", "--others", "--exclude-standard"];
    let out = Command::new("git").args(known).current_dir(&place.root).output()?;
    ensure!(out.status.success(), "git ls-files: {}", String::from_utf8_lossy(&out.stderr));
    for name in String::from_utf8(out.stdout)?.split('\0').filter(|name| !name.is_empty()) {
        let from = place.root.join(name);
        // The library's source is written with its mutants; a deleted file is still listed.
        if !from.is_file() || (name.starts_with("src/") && name.ends_with(".rs")) {
            continue;
        }
        put(&place.tree.join(name), &fs::read(from)?)?;
    }
    // A test that has gone would still be built.
    for path in sources(&place.tree.join("tests"))? {
        let name = path.strip_prefix(&place.tree)?;
        if !place.root.join(name).is_file() && name != Path::new("tests/mutant_vectors.rs") {
            fs::remove_file(&path)?;
        }
    }
    let files = fs::read_dir(place.root.join("tests/vectors"))?.collect::<Result<Vec<_>, _>>()?;
    let mut names: Vec<String> = files
        .iter()
        .filter_map(|file| Some(file.file_name().to_str()?.strip_suffix(".jsonl")?.to_string()))
        .collect();
    names.sort();
    let mut vectors = include_str!("../vectors.rs").to_string();
    for name in names {
        let function = name.replace('-', "_");
        vectors += &format!("#[test]\nfn {function}() {{\n    run(\"{name}\");\n}}\n");
    }
    put(&place.tree.join("tests/mutant_vectors.rs"), vectors.as_bytes())
}

fn put(path: &Path, bytes: &[u8]) -> Result<()> {
    if fs::read(path).is_ok_and(|there| there == bytes) {
        return Ok(());
    }
    fs::create_dir_all(path.parent().context("a folder")?)?;
    let executable = bytes.starts_with(b"#!");
    fs::write(path, bytes)?;
    if executable {
        use std::os::unix::fs::PermissionsExt;
        fs::set_permissions(path, fs::Permissions::from_mode(0o755))?;
    }
    Ok(())
}

/// Writes `src/` with the mutants.
fn write(place: &Place, mutants: &mut [Mutant]) -> Result<HashMap<String, Owners>> {
    let mut here: HashMap<String, Vec<usize>> = HashMap::new();
    for (id, mutant) in mutants.iter().enumerate() {
        here.entry(mutant.file.clone()).or_default().push(id);
    }
    let runtime = include_str!("../runtime.rs").replace("COUNT", &mutants.len().to_string());
    put(&place.tree.join("src/mutants.rs"), runtime.as_bytes())?;
    let mut owners = HashMap::new();
    for path in sources(&place.root.join("src"))? {
        let name = path.strip_prefix(&place.root)?.to_str().context("a UTF-8 path")?.to_string();
        let mut text = fs::read_to_string(&path)?;
        if let Some(ids) = here.get(&name) {
            let rewritten = rewrite(&text, mutants, ids).with_context(|| name.clone())?;
            owners.insert(name.clone(), rewritten.owners);
            text = rewritten.text;
        }
        if name == "src/lib.rs" {
            text += "\nmod mutants;\n";
        }
        put(&place.tree.join(name), text.as_bytes())?;
    }
    Ok(owners)
}

fn sources(folder: &Path) -> Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        match path.is_dir() {
            true => found.extend(sources(&path)?),
            false => found.push(path),
        }
    }
    found.sort();
    Ok(found)
}

/// Finds the mutants that the errors are about, and whether each error is about the mutant's own text.
fn refused(
    messages: &str,
    owners: &HashMap<String, Owners>,
    mutants: &[Mutant],
) -> Result<HashMap<usize, bool>> {
    let (mut refused, mut near) = (HashMap::new(), HashMap::new());
    let mut unknown = BTreeSet::new();
    let messages = messages.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    for message in messages.filter(|message| message["message"]["level"] == "error") {
        let message = &message["message"];
        let spans = message["spans"].as_array().map_or(&[][..], Vec::as_slice);
        if spans.is_empty() {
            continue;
        }
        match spans.iter().find_map(|span| owner(span, owners)) {
            Some(ids) => refused.extend(ids.iter().map(|id| (*id, ids.len() == 1))),
            None => {
                unknown.insert(message["rendered"].to_string());
                near.extend(between(spans, owners).map(|id| (id, false)));
            }
        }
    }
    // Two questions may be too many for the borrow checker, though each place stands outside of both.
    if refused.is_empty() {
        refused = near;
    }
    if refused.is_empty() {
        bail!("no mutant is to blame for these errors:\n{}", Vec::from_iter(unknown).join("\n"));
    }
    // Two of a group are refused for their common part, or one alone for its own value.
    refused.retain(|id, _| mutants[*id].state == State::Made);
    Ok(refused)
}

/// The mutants between the first and the last of these spans, which are of one file.
fn between<'o>(
    spans: &[Value],
    owners: &'o HashMap<String, Owners>,
) -> impl Iterator<Item = usize> + use<'o> {
    let byte = |span: &Value, of: &str| span[of].as_u64().unwrap_or_default() as usize;
    let start = spans.iter().map(|span| byte(span, "byte_start")).min().unwrap_or_default();
    let end = spans.iter().map(|span| byte(span, "byte_end")).max().unwrap_or_default();
    let parts = spans.first().and_then(|span| owners.get(span["file_name"].as_str()?));
    let inside =
        parts.into_iter().flatten().filter(move |(part, _)| start < part.end && part.start < end);
    inside.flat_map(|(_, ids)| ids.iter().copied())
}

/// The mutants of the inserted text that a span meets: the smallest part of it.
fn owner<'o>(span: &Value, owners: &'o HashMap<String, Owners>) -> Option<&'o Vec<usize>> {
    // Within a macro it is the macro's file. The place of the call is in our file.
    let Some(parts) = owners.get(span["file_name"].as_str()?) else {
        return owner(&span["expansion"]["span"], owners);
    };
    let (start, end) = (span["byte_start"].as_u64()? as usize, span["byte_end"].as_u64()? as usize);
    let meets = parts.iter().filter(|(part, _)| part.start < end && start < part.end);
    meets.min_by_key(|(part, ids)| (ids.len(), part.start)).map(|(_, ids)| ids)
}
