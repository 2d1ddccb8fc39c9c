//! Three tools over the files of one folder.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::{fs, io};

use toolstream::policy::Call;
use toolstream::{Param, Tool, tools::Type};

/// The tools that the model knows.
pub fn declared() -> Vec<Tool> {
    let name = || Param::required("name").with(Type::String).describe("The file's name.");
    vec![
        Tool::new("list_files").describe("Lists the files of the folder."),
        Tool::new("read_file").describe("Reads a file.").param(name()),
        Tool::new("write_file")
            .describe("Writes a file, in place of the one of this name.")
            .param(name())
            .param(Param::required("content").with(Type::String).describe("The whole text.")),
    ]
}

/// A temporary folder; it goes with its value.
pub struct Folder(PathBuf);

impl Folder {
    pub fn new() -> io::Result<Folder> {
        static NUMBER: AtomicUsize = AtomicUsize::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let name = format!("agent-example-{}-{number}", std::process::id());
        let path = std::env::temp_dir().join(name);
        fs::create_dir(&path)?;
        Ok(Folder(path))
    }

    pub fn path(&self) -> &Path {
        &self.0
    }

    /// Runs a call. An error is for the model to read.
    pub fn run(&self, call: &Call) -> Result<String, String> {
        let argument = |key: &str| call.arguments[key].as_str().unwrap_or_default();
        let done = match &*call.name {
            "list_files" => self.list(),
            "read_file" => fs::read_to_string(self.file(argument("name"))?),
            "write_file" => fs::write(self.file(argument("name"))?, argument("content"))
                .map(|()| "written".to_string()),
            name => return Err(format!("there is no tool `{name}`")),
        };
        done.map_err(|error| error.to_string())
    }

    /// A name, no path: the model stays in its folder.
    fn file(&self, name: &str) -> Result<PathBuf, String> {
        if Path::new(name).file_name().is_none_or(|file| file != name) {
            return Err(format!("`{name}` is no name of a file in this folder"));
        }
        Ok(self.0.join(name))
    }

    fn list(&self) -> io::Result<String> {
        let names: io::Result<Vec<_>> = fs::read_dir(&self.0)?
            .map(|entry| Ok(entry?.file_name().to_string_lossy().into_owned()))
            .collect();
        let mut names = names?;
        names.sort();
        Ok(if names.is_empty() { "(no files)".to_string() } else { names.join("\n") })
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}
