//! Where the key of the secrets file lies.
//!
//! Today a file beside it, readable by its owner alone: it keeps secrets out of backups that
//! leave the key out, out of a search over files, and from a glance over a shoulder. It does not
//! keep them from a process with the owner's own rights; nothing on the same account does. An OS
//! keychain asks more and is not there on servers: it can be added as another [`KeyPlace`], and
//! the sealed file stays as it is.

use std::fs::{File, OpenOptions};
use std::io::{ErrorKind, Read, Write};
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};

/// A place where a key lies. Errors are for people and hold no key.
pub trait KeyPlace: Send + Sync {
    /// The key, if there is one.
    fn find(&self) -> Result<Option<[u8; 32]>, String>;
    /// Keeps `fresh` unless there is a key already; returns the one that holds.
    fn make(&self, fresh: [u8; 32]) -> Result<[u8; 32], String>;
}

/// A key in a file of its own.
pub struct KeyFile {
    path: PathBuf,
}

impl KeyFile {
    /// The key in the file at `path`.
    pub fn new(path: PathBuf) -> Self {
        Self { path }
    }
}

impl KeyPlace for KeyFile {
    fn find(&self) -> Result<Option<[u8; 32]>, String> {
        let Some(mut file) = open_private(&self.path)? else { return Ok(None) };
        let mut bytes = Vec::new();
        let read = (&mut file).take(33).read_to_end(&mut bytes);
        read.map_err(|e| format!("{} cannot be read ({})", self.path.display(), e.kind()))?;
        let key = bytes.try_into().map_err(|_| {
            format!(
                "{} is no key (32 bytes); restore it from a backup, or remove it and the sealed \
                 file and add the secrets again",
                self.path.display()
            )
        })?;
        Ok(Some(key))
    }

    fn make(&self, fresh: [u8; 32]) -> Result<[u8; 32], String> {
        let mut options = OpenOptions::new();
        options.write(true).create_new(true).mode(0o600);
        match options.open(&self.path) {
            Ok(mut file) => {
                let kept = file.write_all(&fresh).and_then(|()| file.sync_all());
                kept.map_err(|e| {
                    format!("{} cannot be written ({})", self.path.display(), e.kind())
                })
                .map(|()| fresh)
            }
            Err(e) if e.kind() == ErrorKind::AlreadyExists => {
                self.find()?.ok_or_else(|| format!("{} went away", self.path.display()))
            }
            Err(e) => Err(format!("{} cannot be made ({})", self.path.display(), e.kind())),
        }
    }
}

/// Opens a file that only its owner may read; refuses one that others may.
pub(crate) fn open_private(path: &Path) -> Result<Option<File>, String> {
    let file = match File::open(path) {
        Ok(file) => file,
        Err(e) if e.kind() == ErrorKind::NotFound => return Ok(None),
        Err(e) => return Err(format!("{} cannot be opened ({})", path.display(), e.kind())),
    };
    let about = file.metadata().map_err(|e| format!("{}: {}", path.display(), e.kind()))?;
    let mode = about.permissions().mode() & 0o777;
    if mode & 0o077 != 0 {
        return Err(format!(
            "{0} can be read by others (mode {mode:o}); if nobody did, run: chmod 600 {0}",
            path.display()
        ));
    }
    Ok(Some(file))
}
