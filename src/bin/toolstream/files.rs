//! The FILEs of a command: files, folders and stdin.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crate::config::unreadable;
use crate::failure::{Failure, Result};

/// Returns all files, in the order of the arguments. A folder is replaced by its files and those of the
/// folders below, sorted, without hidden ones. If there is an `extension`, only files of a folder that have
/// it count.
pub fn expand(paths: &[PathBuf], extension: Option<&str>) -> Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for path in paths {
        if !path.is_dir() {
            files.push(path.clone());
            continue;
        }
        let before = files.len();
        walk(path, extension, &mut files)
            .map_err(|(path, error)| Failure::BadInput(unreadable(&path, &error)))?;
        if files.len() == before {
            let which = extension.map_or(String::new(), |extension| format!(" *.{extension}"));
            let path = path.display();
            return Err(Failure::BadInput(format!(
                "no{which} files in the folder {path}; name the files"
            )));
        }
    }
    Ok(files)
}

fn walk(
    folder: &Path,
    extension: Option<&str>,
    files: &mut Vec<PathBuf>,
) -> std::result::Result<(), (PathBuf, io::Error)> {
    let failed = |error| (folder.to_path_buf(), error);
    let entries = fs::read_dir(folder).map_err(failed)?.collect::<io::Result<Vec<_>>>();
    let mut entries = entries.map_err(failed)?;
    entries.sort_by_key(fs::DirEntry::file_name);
    for entry in entries {
        let (path, hidden) = (entry.path(), entry.file_name().to_string_lossy().starts_with('.'));
        // A link to a folder is not followed: it may lead back here.
        let linked = entry.file_type().is_ok_and(|kind| kind.is_symlink());
        if hidden || (linked && path.is_dir()) {
            continue;
        } else if path.is_dir() {
            walk(&path, extension, files)?;
        } else if extension
            .is_none_or(|extension| path.extension().is_some_and(|is| is == extension))
        {
            files.push(path);
        }
    }
    Ok(())
}
