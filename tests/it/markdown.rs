//! Every block of every Markdown file has a handler here: it is checked, or another test runs it, or it is listed
//! with the reason why nothing runs it. A block of an unknown kind fails.

use std::collections::BTreeSet;
use std::path::Path;

use toolstream::grammar::Format;
use toolstream::{Dialect, Parser, Tool};

use crate::support::markdown::{Block, ROOT, blocks, commands, inline, page, pages};

/// Commands that need a server, a release or another project, by how they begin, each with the reason why none is run
/// here.
const NOT_RUN: &[(&str, &str)] = &[
    ("git tag v0.2.0", "it makes a release"),
    ("vllm serve", "it needs a GPU; bindings/python/ci tests the plugin"),
    ("python -m sglang.launch_server", "it needs a GPU; bindings/python/ci tests the plugin"),
    ("export ANTHROPIC_BASE_URL=", "`gateway/ci clients` sets it for Claude Code"),
    ("export ANTHROPIC_AUTH_TOKEN=", "`gateway/ci clients` sets it for Claude Code"),
];

/// Blocks of programs in other languages: the folder and the language, and the test of that folder that runs them. A
/// test is named with the text in it that finds the blocks.
const RUN_ELSEWHERE: &[(&str, &str, &str, &str)] = &[
    ("bindings/python/", "python", "bindings/python/tests/test_readme.py", "```python"),
    ("bindings/python/", "py", "bindings/python/tests/test_sdks.py", "```py"),
    ("bindings/arrow/", "python", "bindings/arrow/tests/test_readme.py", "```python"),
    ("bindings/js/", "js", "bindings/js/tests/package/readme.mjs", "```js"),
    ("gateway/", "toml", "gateway/src/config.rs", "blocks(\"toml\")"),
    ("README.md", "console", "tests/it/cli/explain.rs", "console\\n"),
];

/// Blocks of programs that no test runs: the folder, the language and the reason.
const PROGRAMS_NOT_RUN: &[(&str, &str, &str)] =
    &[("bindings/arrow/", "py", "Ray Data is not among the packages that its tests install")];

/// The handler of a block, in words. An error says what is wrong.
fn check(name: &str, block: &Block) -> Result<&'static str, String> {
    let language = &*block.language;
    // A form to fill in.
    if block.text.is_empty() && name.starts_with(".github/ISSUE_TEMPLATE/") {
        return Ok("empty");
    }
    let is_of = |folder: &str, kind: &str| name.starts_with(folder) && language == kind;
    if let Some((_, _, test, finds)) =
        RUN_ELSEWHERE.iter().find(|(folder, kind, ..)| is_of(folder, kind))
    {
        let finds_it = page(test).contains(finds);
        return finds_it.then_some("run by its folder").ok_or(format!("{test} has no `{finds}`"));
    }
    if PROGRAMS_NOT_RUN.iter().any(|(folder, kind, _)| is_of(folder, kind)) {
        return Ok("not run");
    }
    match language {
        "json" => json(&block.text).map(|()| "parsed"),
        "sh" => {
            let results = commands(&block.text).into_iter().map(|line| command(&line));
            results.collect::<Result<(), _>>().map(|()| "each command looked up")
        }
        "rust" | "" => documentation_test(name).map(|()| "a documentation test"),
        // A picture, or output. A command would not be noticed.
        "text" => match block.text.lines().find(|line| is_command(line)) {
            Some(line) => Err(format!("`{line}` is a command: the block is `sh`")),
            None => Ok("a text"),
        },
        _ => Err(format!("nothing here checks blocks of `{language}`")),
    }
}

fn is_command(line: &str) -> bool {
    line.starts_with("cargo ") || line.starts_with("toolstream ") || line.starts_with("$ ")
}

/// A block is one JSON text, or has one on each line.
fn json(text: &str) -> Result<(), String> {
    let parse = |text: &str| serde_json::from_str::<serde_json::Value>(text);
    match parse(text) {
        Ok(_) => Ok(()),
        Err(_) if text.lines().count() > 1 && text.lines().all(|line| parse(line).is_ok()) => {
            Ok(())
        }
        Err(error) => Err(error.to_string()),
    }
}

/// Examples are tests where `src` includes the page.
fn documentation_test(name: &str) -> Result<(), String> {
    let place = match name.strip_prefix("src/") {
        Some(inside) => format!("include_str!(\"{inside}\")"),
        None => format!("include_str!(\"../{name}\")"),
    };
    page("src/lib.rs").contains(&place).then_some(()).ok_or(format!("src/lib.rs has no {place}"))
}

/// A line of a shell.
fn command(line: &str) -> Result<(), String> {
    let is_variable = |word: &&str| {
        word.split_once('=')
            .is_some_and(|(name, _)| name.chars().all(|c| c.is_ascii_uppercase() || c == '_'))
    };
    if NOT_RUN.iter().any(|(begin, _)| line.starts_with(begin)) {
        return Ok(());
    }
    let words: Vec<&str> = line.split_whitespace().skip_while(is_variable).collect();
    match words[..] {
        ["cargo", ..] => cargo(&words[1..]),
        // `cli::pages` asks the command itself.
        ["toolstream", ..] => Ok(()),
        ["python3" | "python", script, ..] => exists(script),
        ["pip", "install", ..] => {
            words.iter().filter(|word| word.starts_with("./")).try_for_each(|word| exists(word))
        }
        [program, ..] => match program.strip_prefix("target/debug/examples/") {
            Some(example) => target("", "example", example),
            None => exists(program),
        },
        [] => Ok(()),
    }
    .map_err(|error| format!("`{line}`: {error}"))
}

fn exists(path: &str) -> Result<(), String> {
    Path::new(ROOT).join(path).exists().then_some(()).ok_or(format!("there is no {path}"))
}

/// The arguments of `cargo`: the manifest, the targets, the features, the modules of tests.
fn cargo(words: &[&str]) -> Result<(), String> {
    const COMMANDS: &[&str] = &[
        "add",
        "bench",
        "build",
        "check",
        "clippy",
        "doc",
        "fmt",
        "fuzz",
        "install",
        "package",
        "run",
        "semver-checks",
        "test",
    ];
    let words = words.strip_prefix(&["+nightly"]).unwrap_or(words);
    let (name, rest) = words.split_first().ok_or("no command")?;
    if !COMMANDS.contains(name) {
        return Err(format!("`cargo {name}` is unknown"));
    }
    if let ["fuzz", "run", body, ..] = words {
        return exists(&format!("fuzz/fuzz_targets/{body}.rs"));
    }
    let option = |name: &str| {
        let at = rest.iter().position(|word| *word == name)?;
        rest.get(at + 1).copied()
    };
    let folder = match (option("--manifest-path"), option("--path")) {
        (Some(manifest), _) => {
            manifest.strip_suffix("Cargo.toml").ok_or("a manifest is a Cargo.toml")?
        }
        (None, Some(folder)) => folder,
        (None, None) => "",
    };
    let folder = folder.trim_end_matches(['/', '.']);
    exists(format!("{folder}/Cargo.toml").trim_start_matches('/'))?;
    for kind in ["bin", "example", "bench", "test"] {
        if let Some(name) = option(&format!("--{kind}")) {
            target(folder, kind, name)?;
        }
    }
    for feature in option("--features").into_iter().flat_map(|list| list.split(',')) {
        let manifest = manifest(folder);
        let declared = manifest.lines().any(|line| line.starts_with(&format!("{feature} = [")));
        declared.then_some(()).ok_or(format!("there is no feature `{feature}`"))?;
    }
    for module in rest.iter().filter_map(|word| word.strip_suffix("::")) {
        let declared = format!("mod {};", module.split("::").next().unwrap_or_default());
        let known = page("tests/it/main.rs").lines().any(|line| line == declared);
        known.then_some(()).ok_or(format!("tests/it has no `{module}`"))?;
    }
    Ok(())
}

fn manifest(folder: &str) -> String {
    page(format!("{folder}/Cargo.toml").trim_start_matches('/'))
}

/// A target of a package: a file in the folder of its kind, or named in the manifest.
fn target(folder: &str, kind: &str, name: &str) -> Result<(), String> {
    let place = match kind {
        "bin" => "src/bin".to_string(),
        "bench" => "benches".to_string(),
        kind => format!("{kind}s"),
    };
    let base = Path::new(ROOT).join(folder).join(place);
    let is_file =
        base.join(format!("{name}.rs")).exists() || base.join(name).join("main.rs").exists();
    let is_named = manifest(folder).contains(&format!("[[{kind}]]\nname = \"{name}\""));
    (is_file || is_named).then_some(()).ok_or(format!("there is no {kind} `{name}`"))
}

#[test]
fn every_block_has_a_handler() {
    let mut handled = std::collections::BTreeMap::<&str, usize>::new();
    let mut wrong = Vec::new();
    for name in pages() {
        for block in blocks(&page(&name)) {
            match check(&name, &block) {
                Ok(handler) => *handled.entry(handler).or_default() += 1,
                Err(error) => wrong.push(format!("{name}:{}: {error}", block.line)),
            }
        }
    }
    println!("{handled:#?}");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(handled.values().sum::<usize>() > 100, "{handled:?}");
}

/// Every entry of the lists is still in a page.
#[test]
fn no_exception_is_left_over() {
    let all: Vec<(String, Vec<Block>)> =
        pages().into_iter().map(|name| (name.clone(), blocks(&page(&name)))).collect();
    let has = |folder: &str, language: &str| {
        all.iter().any(|(name, blocks)| {
            name.starts_with(folder) && blocks.iter().any(|block| block.language == language)
        })
    };
    for (folder, language, ..) in RUN_ELSEWHERE {
        assert!(has(folder, language), "{folder} has no block of {language}");
    }
    for (folder, language, _) in PROGRAMS_NOT_RUN {
        assert!(has(folder, language), "{folder} has no block of {language}");
    }
    for (begin, _) in NOT_RUN {
        let found = all.iter().flat_map(|(_, blocks)| blocks).any(|block| {
            block.language == "sh"
                && commands(&block.text).iter().any(|line| line.starts_with(begin))
        });
        assert!(found, "no page has `{begin}`");
    }
}

/// Commands of cargo inside of lines, and the paths of files.
#[test]
fn commands_and_paths_inside_of_lines_exist() {
    // Commands in a folder of their own, and releases of other projects.
    const ELSEWHERE: &[&str] =
        &["cargo run --bin with_rig", "cargo test -- --nocapture a_client_that_leaves"];
    const FOLDERS: &[&str] = &[
        "src/",
        "tests/",
        "docs/",
        "examples/",
        "fuzz/",
        "benches/",
        "conformance/",
        "mutants/",
        "gateway/",
        "bindings/",
        ".ci/",
    ];
    const PLACEHOLDERS: &[&str] = &["NAME", "DIALECT"];
    let is_of_path = |c: char| c.is_ascii_alphanumeric() || "._-/".contains(c);
    let mut wrong = Vec::new();
    for name in pages() {
        // A log, and places of an earlier commit.
        if name == "CHANGELOG.md" || name == "mutants/survivors.md" {
            continue;
        }
        let folder = name.rsplit_once('/').map_or("", |(folder, _)| folder);
        let text = page(&name);
        for code in inline(&text) {
            let is_path = FOLDERS.iter().any(|folder| code.starts_with(folder))
                && code.chars().all(is_of_path)
                && !PLACEHOLDERS.iter().any(|word| code.contains(word));
            let result = match code.strip_prefix("cargo ") {
                Some(_) if ELSEWHERE.contains(&code) => Ok(()),
                Some(rest) => cargo(&rest.split(' ').collect::<Vec<_>>()),
                None if is_path => exists(code)
                    .or_else(|error| exists(&format!("{folder}/{code}")).map_err(|_| error)),
                None => Ok(()),
            };
            if let Err(error) = result {
                wrong.push(format!("{name}: `{code}`: {error}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// A number before "dialects" is that of all dialects, or of those with a grammar. Figures of a day are listed.
#[test]
fn numbers_of_dialects_are_true() {
    // With the word before the number.
    const MEASURED: &[(&str, &str)] = &[
        ("conformance/README.md", "had 48 dialects"),
        ("docs/limits.md", "(14 dialects"),
        ("mutants/README.md", "in 48 dialects"),
    ];
    let has_grammar = |dialect: &Dialect, format: Format| {
        let parser = Parser::builder(dialect).tool(Tool::new("list")).build().expect("a parser");
        parser.grammar(format).is_ok()
    };
    let count = |format| Dialect::ALL.iter().filter(|dialect| has_grammar(dialect, format)).count();
    let (all, lark, tags) = (Dialect::ALL.len(), count(Format::Lark), count(Format::StructuralTag));
    let mut wrong = Vec::new();
    // The packages in `bindings` count their own: a dialect may lack there what it has here.
    for name in pages().into_iter().filter(|name| !name.starts_with("bindings/")) {
        let text = page(&name).split_whitespace().collect::<Vec<_>>().join(" ");
        for (at, _) in text.match_indices(" dialects") {
            let mut words = text[..at].rsplit(' ');
            let (number, before) =
                (words.next().unwrap_or_default(), words.next().unwrap_or_default());
            let Ok(count) = number.trim_start_matches('(').parse::<usize>() else { continue };
            let measured = MEASURED.iter().any(|(file, words)| {
                *file == name
                    && (format!("{before} {number} dialects") == *words
                        || format!("{number} dialects") == *words)
            });
            if !measured && ![all, lark, tags].contains(&count) {
                wrong.push(format!("{name}: {before} {number} dialects"));
            }
        }
    }
    assert!(
        wrong.is_empty(),
        "all {all}, in Lark {lark}, in structural tags {tags}: {}",
        wrong.join("\n")
    );
}

/// The tests that the page of verification names are functions, files of tests, or fuzz targets.
#[test]
fn the_tests_that_verification_names_exist() {
    let mut sources = String::new();
    for folder in ["tests/it", "src", "gateway/tests", "gateway/src"] {
        read_all(&Path::new(ROOT).join(folder), &mut sources);
    }
    let page = page("docs/verification.md");
    let (_, tables) = page.split_once("## Broken on purpose: the laws").expect("the tables");
    let is_name = |word: &&str| {
        word.contains('_')
            && word
                .chars()
                .all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_' || c == ':')
    };
    let names: BTreeSet<&str> = inline(tables).into_iter().filter(is_name).collect();
    assert!(names.len() > 15, "{names:?}");
    for name in names {
        let function = name.rsplit(':').next().unwrap_or_default();
        let is_target = exists(&format!("fuzz/fuzz_targets/{name}.rs")).is_ok();
        let is_file = exists(&format!("tests/it/{name}.rs")).is_ok();
        // An option of the crate, or a text of the change.
        let found = sources.contains(&format!("fn {function}(")) || is_target || is_file;
        assert!(found, "docs/verification.md names `{name}`");
    }
}

fn read_all(folder: &Path, sources: &mut String) {
    for entry in std::fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            read_all(&path, sources);
        } else if path.extension().is_some_and(|end| end == "rs") {
            sources.push_str(&std::fs::read_to_string(&path).expect("a source"));
        }
    }
}

/// The pages that count the laws count those of the page of laws.
#[test]
fn there_are_thirteen_laws() {
    let laws = page("src/laws.md");
    let count = laws.lines().filter(|line| line.starts_with(|c: char| c.is_ascii_digit())).count();
    assert_eq!(count, 13, "`thirteen` stands in DESIGN.md and docs/verification.md");
    for name in ["DESIGN.md", "docs/verification.md"] {
        assert!(page(name).contains("thirteen"), "{name}");
    }
    let targets =
        std::fs::read_dir(Path::new(ROOT).join("fuzz/fuzz_targets")).expect("a folder").count();
    assert_eq!(targets, 14, "`fourteen` stands in CONTRIBUTING.md and docs/verification.md");
}

/// The constants of the bounds are those of the pages.
#[test]
fn bounds_of_the_pages_are_true() {
    use toolstream::options::bounds;
    assert_eq!((bounds::HELD, bounds::NAME, bounds::ARGUMENTS), (2_000, 128, 64 << 10));
    for (name, text) in [
        ("docs/limits.md", "`bounds::HELD`, 2,000 bytes"),
        ("docs/limits.md", "`bounds::NAME`, 128 bytes"),
        ("docs/limits.md", "`bounds::ARGUMENTS`, 64 KiB"),
        ("src/laws.md", "less than 2 KiB, and 64 KiB of JSON arguments"),
        ("src/dialect/shapes.md", "2,000 pending bytes"),
        ("DESIGN.md", "less than 2 KiB"),
    ] {
        assert!(page(name).contains(text), "{name} has no `{text}`");
    }
    let twins = crate::support::WITH_TWIN.len();
    assert_eq!(twins, 8, "`eight dialects` stands in docs/verification.md");
    assert!(page("docs/verification.md").contains("eight dialects"));
}

/// The README has the oldest Rust, the version and the features of the manifest.
#[test]
fn the_readme_has_the_facts_of_the_manifest() {
    let (readme, manifest) = (page("README.md"), page("Cargo.toml"));
    let oldest = manifest.lines().find_map(|line| line.strip_prefix("rust-version = ")).unwrap();
    assert!(readme.contains(&format!("minimum Rust version is {}", oldest.trim_matches('"'))));
    let (_, features) = manifest.split_once("[features]\n").expect("features");
    let (features, _) = features.split_once("\n[").expect("the next table");
    let names = features.lines().filter_map(|line| line.split_once(" = [")).map(|(name, _)| name);
    for name in names.filter(|name| *name != "default") {
        assert!(
            readme.contains(&format!("`{name}`")),
            "the README does not name the feature {name}"
        );
    }
}
