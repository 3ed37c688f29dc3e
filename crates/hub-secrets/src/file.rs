//! The encrypted file of secrets.
//!
//! One sealed box (XChaCha20-Poly1305, a fresh nonce each time) around all names and values, so
//! that neither can be read, changed or moved one by one; an older whole file put back cannot
//! be told from a newer one. It is small, and read anew each time: `connection add` in another
//! process counts at once. Written to a second file, synced, and renamed; a lock beside it
//! keeps writers apart.

use crate::key::{KeyPlace, open_private};
use chacha20poly1305::aead::{Aead, KeyInit, Payload};
use chacha20poly1305::{Key, XChaCha20Poly1305, XNonce};
use hub_core::connection::Secret;
use std::collections::BTreeMap;
use std::fs::{File, OpenOptions};
use std::io::{Read, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

/// What the file begins with: its kind and version.
const HEAD: &[u8; 8] = b"hubseal1";
const NONCE: usize = 24;
/// Bytes of the whole file.
const FILE_BYTES: u64 = 16 << 20;
/// Bytes of one value.
pub const VALUE_BYTES: usize = 64 << 10;
/// Characters of a name.
const NAME_CHARS: usize = 200;

type Entries = BTreeMap<String, String>;

/// The encrypted file of secrets. Every method blocks.
pub struct SecretFile {
    path: PathBuf,
    key: Box<dyn KeyPlace>,
}

impl SecretFile {
    /// The file at `path`, sealed with the key that lies in `key`. Neither need exist.
    pub fn new(path: PathBuf, key: Box<dyn KeyPlace>) -> Self {
        Self { path, key }
    }

    /// The value kept under `name`.
    pub fn get(&self, name: &str) -> Result<Option<Secret>, String> {
        Ok(self.read()?.remove(name).map(Secret::new))
    }

    /// The names of all values, sorted.
    pub fn names(&self) -> Result<Vec<String>, String> {
        Ok(self.read()?.into_keys().collect())
    }

    /// Keeps a value under a name, in place of the one before.
    pub fn put(&self, name: &str, value: &Secret) -> Result<(), String> {
        check(name, value)?;
        let _lock = self.lock()?;
        let mut entries = self.read()?;
        entries.insert(name.to_owned(), value.expose().to_owned());
        self.write(&entries)
    }

    /// Forgets a value; whether there was one.
    pub fn remove(&self, name: &str) -> Result<bool, String> {
        let _lock = self.lock()?;
        let mut entries = self.read()?;
        let there = entries.remove(name).is_some();
        if there {
            self.write(&entries)?;
        }
        Ok(there)
    }

    fn read(&self) -> Result<Entries, String> {
        let Some(file) = open_private(&self.path)? else { return Ok(Entries::new()) };
        let mut bytes = Vec::new();
        let read = file.take(FILE_BYTES + 1).read_to_end(&mut bytes);
        read.map_err(|e| self.failed("cannot be read", &e))?;
        if bytes.len() as u64 > FILE_BYTES {
            return Err(self.damaged());
        }
        let (head, rest) = bytes.split_at_checked(HEAD.len()).ok_or_else(|| self.damaged())?;
        if head != HEAD {
            return Err(match head.strip_prefix(b"hubseal") {
                Some(_) => format!("{} was written by a newer hub; use that", self.path.display()),
                None => self.damaged(),
            });
        }
        let (nonce, sealed) = rest.split_at_checked(NONCE).ok_or_else(|| self.damaged())?;
        let nonce: [u8; NONCE] = nonce.try_into().map_err(|_| self.damaged())?;
        let key = self.key.find()?.ok_or_else(|| {
            format!(
                "the key of {} is missing; restore it, or remove the file and add the secrets again",
                self.path.display()
            )
        })?;
        let opened = cipher(key).decrypt(&XNonce::from(nonce), Payload { msg: sealed, aad: HEAD });
        serde_json::from_slice(&opened.map_err(|_| self.damaged())?).map_err(|_| self.damaged())
    }

    fn write(&self, entries: &Entries) -> Result<(), String> {
        let random = |bytes: &mut [u8]| {
            getrandom::fill(bytes).map_err(|_| "the system gives no random bytes".to_owned())
        };
        let (mut fresh, mut nonce) = ([0; 32], [0; NONCE]);
        random(&mut fresh)?;
        random(&mut nonce)?;
        let key = self.key.make(fresh)?;
        let plain = serde_json::to_vec(entries).map_err(|_| "an entry cannot be written")?;
        let sealed = cipher(key)
            .encrypt(&XNonce::from(nonce), Payload { msg: &plain, aad: HEAD })
            .map_err(|_| "the secrets cannot be sealed")?;
        if (HEAD.len() + NONCE + sealed.len()) as u64 > FILE_BYTES {
            return Err(format!("the secrets would be more than {FILE_BYTES} bytes"));
        }
        let next = beside(&self.path, "new");
        let written = (|| {
            let mut file = private(&next)?;
            file.set_len(0)?;
            file.write_all(HEAD)?;
            file.write_all(&nonce)?;
            file.write_all(&sealed)?;
            file.sync_all()?;
            std::fs::rename(&next, &self.path)?;
            File::open(self.path.parent().unwrap_or(Path::new(".")))?.sync_all()
        })();
        written.map_err(|e| self.failed("cannot be written", &e))
    }

    /// Held while the file is read and written back.
    fn lock(&self) -> Result<File, String> {
        let file = private(&beside(&self.path, "lock"));
        file.and_then(|f| f.lock().map(|()| f)).map_err(|e| self.failed("cannot be locked", &e))
    }

    fn failed(&self, what: &str, error: &std::io::Error) -> String {
        format!("{} {what} ({})", self.path.display(), error.kind())
    }

    fn damaged(&self) -> String {
        format!(
            "{} was changed or damaged, or its key is another; restore both from a backup, or \
             remove them and add the secrets again",
            self.path.display()
        )
    }
}

fn cipher(key: [u8; 32]) -> XChaCha20Poly1305 {
    XChaCha20Poly1305::new(&Key::from(key))
}

fn beside(path: &Path, ending: &str) -> PathBuf {
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(".");
    name.push(ending);
    path.with_file_name(name)
}

fn private(path: &Path) -> std::io::Result<File> {
    OpenOptions::new().write(true).create(true).truncate(false).mode(0o600).open(path)
}

fn check(name: &str, value: &Secret) -> Result<(), String> {
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.' | '/' | '@');
    if name.is_empty() || name.len() > NAME_CHARS || !name.chars().all(plain) {
        return Err(format!(
            "a secret's name has 1 to {NAME_CHARS} letters, digits or any of _ - . / @"
        ));
    }
    match value.expose().len() {
        0 => Err("the secret is empty".to_owned()),
        n if n > VALUE_BYTES => Err(format!("the secret is longer than {VALUE_BYTES} bytes")),
        _ if value.expose().contains('\0') => Err("the secret holds a zero byte".to_owned()),
        _ => Ok(()),
    }
}
