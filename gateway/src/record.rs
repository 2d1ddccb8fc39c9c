//! `--record DIR`: a client's request and the model's answer, for `toolstream inspect` and for reports.

use std::fs::{File, OpenOptions, create_dir_all};
use std::io::{self, Write};
use std::path::Path;

use serde_json::Value;

/// Three files for a request: `ID.request.json` as the client sent it, `ID.sse` as the model's server answered, and
/// `ID.txt`, only the model's text.
pub struct Record(Option<Files>);

struct Files {
    stream: File,
    text: File,
}

/// Creates a file that only its owner can read: it holds what users said.
fn private(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.write(true).create(true).truncate(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
}

impl Record {
    /// A directory that cannot be written is logged: the answer goes on without it.
    pub fn begin(dir: Option<&Path>, id: &str, request: &Value) -> Record {
        let Some(dir) = dir else { return Record(None) };
        let files = || -> io::Result<Files> {
            create_dir_all(dir)?;
            let file = |kind: &str| private(&dir.join(format!("{id}.{kind}")));
            file("request.json")?.write_all(format!("{request:#}\n").as_bytes())?;
            Ok(Files { stream: file("sse")?, text: file("txt")? })
        };
        let begun = files();
        if let Err(error) = &begun {
            tracing::warn!(id, %error, "cannot record to {}", dir.display());
        }
        Record(begun.ok())
    }

    /// Records the bytes that the server sent, as they came.
    pub fn bytes(&mut self, bytes: &[u8]) {
        self.try_to(|files| files.stream.write_all(bytes));
    }

    /// The data of one of its events.
    pub fn event(&mut self, data: &[u8]) {
        self.try_to(|files| {
            let event: Value = serde_json::from_slice(data).unwrap_or_default();
            let choice = &event["choices"][0];
            let said =
                choice["delta"]["content"].as_str().or(choice["message"]["content"].as_str());
            files.text.write_all(said.unwrap_or_default().as_bytes())
        });
    }

    fn try_to(&mut self, does: impl FnOnce(&mut Files) -> io::Result<()>) {
        let Some(files) = &mut self.0 else { return };
        if let Err(error) = does(files) {
            tracing::warn!(%error, "the recording ends here");
            self.0 = None;
        }
    }
}
