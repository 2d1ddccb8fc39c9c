//! The Markdown files of the repository: their blocks of code, and their code inside of lines.
#![allow(dead_code, reason = "each test file uses a part")]

use std::path::Path;

pub const ROOT: &str = env!("CARGO_MANIFEST_DIR");

/// A file, by its path from the root of the repository.
pub fn page(name: &str) -> String {
    let path = Path::new(ROOT).join(name);
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{name}: {error}"))
}

/// The paths of all Markdown files, sorted. Folders of builds and of installed packages are left out.
pub fn pages() -> Vec<String> {
    let mut found = Vec::new();
    collect(Path::new(ROOT), &mut found);
    found.sort();
    found
}

fn collect(folder: &Path, found: &mut Vec<String>) {
    const BUILT: &[&str] = &["target", "node_modules", "dist", "pkg", "venv", ".venv", ".git"];
    for entry in std::fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        let hidden = name.starts_with('.') && name != ".github";
        if path.is_dir() && !hidden && !BUILT.contains(&name) {
            collect(&path, found);
        } else if name.ends_with(".md") {
            let inside = path.strip_prefix(ROOT).expect("a file of the repository");
            found.push(inside.to_str().expect("a path in UTF-8").replace('\\', "/"));
        }
    }
}

/// A fenced block of code.
pub struct Block {
    /// The line of its opening fence, from 1.
    pub line: usize,
    /// The text behind the fence: the language.
    pub language: String,
    pub text: String,
}

/// The fenced blocks of a page. A fence closes a block that was opened by one at most as long.
pub fn blocks(page: &str) -> Vec<Block> {
    let mut blocks: Vec<Block> = Vec::new();
    let mut open = None;
    for (number, line) in page.lines().enumerate() {
        let fence = line.trim_start().bytes().take_while(|byte| *byte == b'`').count();
        let behind = line.trim_start()[fence..].trim();
        match open {
            Some(least) if fence >= least && behind.is_empty() => open = None,
            Some(_) => {
                let text = &mut blocks.last_mut().expect("the open block").text;
                text.push_str(line);
                text.push('\n');
            }
            None if fence >= 3 => {
                open = Some(fence);
                let language = behind.to_string();
                blocks.push(Block { line: number + 1, language, text: String::new() });
            }
            None => {}
        }
    }
    assert!(open.is_none(), "a block is not closed");
    blocks
}

/// The code between single backticks, outside of blocks.
pub fn inline(page: &str) -> Vec<&str> {
    let mut fenced = false;
    let outside = page.lines().filter(move |line| {
        let fence = line.trim_start().starts_with("```");
        fenced ^= fence;
        !fenced && !fence
    });
    outside.flat_map(|line| line.split('`').skip(1).step_by(2)).collect()
}

/// The commands of a block of the shell: comments are gone, and continued lines are one.
pub fn commands(block: &str) -> Vec<String> {
    let joined = block.replace("\\\n", " ");
    let lines = joined.lines().map(|line| line.split(" #").next().unwrap_or_default().trim());
    lines.filter(|line| !line.is_empty() && !line.starts_with('#')).map(String::from).collect()
}
