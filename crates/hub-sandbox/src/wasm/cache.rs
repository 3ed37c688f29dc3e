//! Machine code kept between starts. Loading it trusts it, so it lies in a folder that only this
//! account can enter, carries a keyed digest, and is read once: the bytes that were checked are
//! the bytes that run.
#![expect(unsafe_code, reason = "loading compiled code trusts it; this module earns the trust")]

use hub_core::digest::Digest;
use sha2::{Digest as _, Sha256};
use std::fs::{DirBuilder, File, OpenOptions};
use std::hash::{Hash, Hasher};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use wasmtime::{Engine, Module};

/// Bytes of the key, and of the digest before the code.
const KEY: usize = 32;
/// Files of code that stay.
const KEPT: usize = 4;
/// No compiled image is larger.
const CODE_BYTES: u64 = 64 << 20;

/// The kept code of one image, engine build and machine.
pub struct Cache {
    dir: PathBuf,
    name: String,
}

impl Cache {
    /// In `dir`, for `image` under this engine.
    pub fn new(dir: &Path, image: &[u8], engine: &Engine) -> Self {
        let mut engine_hash = Collect(Sha256::new());
        engine.precompile_compatibility_hash().hash(&mut engine_hash);
        let engine_hash: [u8; KEY] = engine_hash.0.finalize().into();
        let name = Digest::of_parts([image, &engine_hash]).to_string();
        Self { dir: dir.to_owned(), name: format!("guest-{}.code", &name[..32]) }
    }

    /// The module, if it is there and exactly what [`Cache::store`] wrote.
    pub fn load(&self, engine: &Engine) -> Option<Module> {
        let read = self.read();
        let code = match read {
            Ok(code) => code,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return None,
            Err(error) => {
                tracing::warn!(%error, "kept code is not used");
                return None;
            }
        };
        // SAFETY: only this account can write the file, and its keyed digest is right: these
        // bytes were serialised by this engine's build for this image.
        match unsafe { Module::deserialize(engine, &code) } {
            Ok(module) => Some(module),
            Err(error) => {
                tracing::warn!(%error, "kept code is not used");
                None
            }
        }
    }

    fn read(&self) -> io::Result<Vec<u8>> {
        check_dir(&self.dir)?;
        let key = read_private(&self.dir.join("key"), KEY as u64)?;
        let mut file = read_private(&self.dir.join(&self.name), CODE_BYTES)?;
        if key.len() != KEY || file.len() < KEY {
            return Err(wrong("it is cut short"));
        }
        let code = file.split_off(KEY);
        let right = mac(&key, &self.name, &code);
        let differs = right.iter().zip(&file).fold(0, |sum, (a, b)| sum | (a ^ b));
        if differs == 0 { Ok(code) } else { Err(wrong("its digest is wrong")) }
    }

    /// Keeps `code` for the next start.
    pub fn store(&self, code: &[u8]) -> io::Result<()> {
        make_dir(&self.dir)?;
        check_dir(&self.dir)?;
        let key = self.key()?;
        let bytes = [mac(&key, &self.name, code).as_slice(), code].concat();
        self.write_new(&self.name, &bytes)?;
        self.clear_old()
    }

    /// Code of other images and builds goes, but for the newest few: it can be made again.
    fn clear_old(&self) -> io::Result<()> {
        let mut files = Vec::new();
        for entry in std::fs::read_dir(&self.dir)? {
            let entry = entry?;
            let name = entry.file_name();
            let name = name.to_string_lossy();
            if name.starts_with("guest-") && name.ends_with(".code") && *name != self.name {
                files.push((entry.metadata()?.modified()?, entry.path()));
            }
        }
        files.sort();
        let old = files.len().saturating_sub(KEPT - 1);
        files.iter().take(old).try_for_each(|(_, path)| std::fs::remove_file(path))
    }

    fn key(&self) -> io::Result<Vec<u8>> {
        match read_private(&self.dir.join("key"), KEY as u64) {
            Ok(key) if key.len() == KEY => return Ok(key),
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
        let mut key = vec![0; KEY];
        getrandom::fill(&mut key).map_err(|error| io::Error::other(error.to_string()))?;
        self.write_new("key", &key)?;
        // Another process may have been first; the file that is there counts.
        read_private(&self.dir.join("key"), KEY as u64)
    }

    /// Writes beside and renames, so that a reader sees all or nothing.
    fn write_new(&self, name: &str, bytes: &[u8]) -> io::Result<()> {
        let mut tag = [0; 8];
        getrandom::fill(&mut tag).map_err(|error| io::Error::other(error.to_string()))?;
        let beside = self.dir.join(format!(".{name}.{:016x}", u64::from_le_bytes(tag)));
        let mut options = OpenOptions::new();
        options.write(true).create_new(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let written = options.open(&beside).and_then(|mut file| {
            file.write_all(bytes)?;
            file.sync_all()
        });
        let moved = written.and_then(|()| std::fs::rename(&beside, self.dir.join(name)));
        if moved.is_err() {
            let _ = std::fs::remove_file(&beside);
        }
        moved
    }
}

fn wrong(what: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, what)
}

/// HMAC-SHA256 over the name and the code.
fn mac(key: &[u8], name: &str, code: &[u8]) -> [u8; KEY] {
    let pad = |with: u8| -> [u8; 64] {
        let mut block = [with; 64];
        block.iter_mut().zip(key).for_each(|(slot, byte)| *slot ^= byte);
        block
    };
    let inner = Sha256::new().chain_update(pad(0x36));
    let inner = inner.chain_update((name.len() as u64).to_be_bytes()).chain_update(name);
    let inner = inner.chain_update(code).finalize();
    Sha256::new().chain_update(pad(0x5c)).chain_update(inner).finalize().into()
}

fn make_dir(dir: &Path) -> io::Result<()> {
    let mut builder = DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(dir)
}

#[cfg(unix)]
fn check_owner(metadata: &std::fs::Metadata) -> io::Result<()> {
    use std::os::unix::fs::MetadataExt;
    if metadata.uid() != rustix::process::geteuid().as_raw() {
        return Err(wrong("it belongs to another account"));
    }
    if metadata.mode() & 0o077 != 0 {
        return Err(wrong("other accounts may enter or read it"));
    }
    Ok(())
}

#[cfg(not(unix))]
fn check_owner(_metadata: &std::fs::Metadata) -> io::Result<()> {
    Ok(())
}

fn check_dir(dir: &Path) -> io::Result<()> {
    let metadata = std::fs::symlink_metadata(dir)?;
    if !metadata.is_dir() {
        return Err(wrong("it is no folder"));
    }
    check_owner(&metadata)
}

/// Opens once, without following a link, and reads all of it.
fn read_private(path: &Path, limit: u64) -> io::Result<Vec<u8>> {
    let file = open_private(path)?;
    let metadata = file.metadata()?;
    if !metadata.is_file() || metadata.len() > limit {
        return Err(wrong("it is not one of ours"));
    }
    check_owner(&metadata)?;
    let mut bytes = Vec::new();
    file.take(limit).read_to_end(&mut bytes)?;
    Ok(bytes)
}

#[cfg(unix)]
fn open_private(path: &Path) -> io::Result<File> {
    use rustix::fs::{Mode, OFlags};
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::CLOEXEC | OFlags::NONBLOCK;
    Ok(File::from(rustix::fs::open(path, flags, Mode::empty())?))
}

#[cfg(not(unix))]
fn open_private(path: &Path) -> io::Result<File> {
    File::open(path)
}

/// Collects what is hashed, since the standard hashers are no digests.
struct Collect(Sha256);

impl Hasher for Collect {
    fn finish(&self) -> u64 {
        0
    }

    fn write(&mut self, bytes: &[u8]) {
        self.0.update(bytes);
    }
}
