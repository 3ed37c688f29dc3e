//! One owner per store: a lock on a file beside the database, held for life.

use super::open::OpenError;
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{Read, Seek, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;
use std::time::Duration;

const NAME: &str = "hub.lock";
/// How often a lock that is taken is tried again, and how long in between.
const TRIES: u32 = 4;
const PAUSE: Duration = Duration::from_millis(5);

/// Held while the store is open; the system lets go of it however the process ends.
pub(super) struct Lock {
    _file: File,
}

/// Takes the lock, or says who has it.
pub(super) fn take(dir: &Path) -> Result<Lock, OpenError> {
    let path = dir.join(NAME);
    let mut file = OpenOptions::new()
        .read(true)
        .write(true)
        .create(true)
        .truncate(false)
        .mode(0o600)
        .open(&path)
        .map_err(|e| OpenError::io(&path, &e))?;
    let mut tries = TRIES;
    let taken = loop {
        match file.try_lock() {
            // Somebody may only be looking ([`is_held`]), which takes no time.
            Err(TryLockError::WouldBlock) if tries > 0 => {
                tries -= 1;
                std::thread::sleep(PAUSE);
            }
            taken => break taken,
        }
    };
    match taken {
        Ok(()) => {}
        Err(TryLockError::WouldBlock) => {
            let mut owner = String::new();
            let read = (&mut file).take(20).read_to_string(&mut owner);
            let process = read.ok().and_then(|_| owner.trim().parse().ok());
            return Err(OpenError::Locked { dir: dir.to_owned(), process });
        }
        Err(TryLockError::Error(e)) => return Err(OpenError::io(&path, &e)),
    }
    let note = file
        .set_len(0)
        .and_then(|()| file.rewind())
        .and_then(|()| writeln!(file, "{}", std::process::id()));
    note.map_err(|e| OpenError::io(&path, &e))?;
    Ok(Lock { _file: file })
}

/// Whether a process holds the store in `dir`: a hub that runs, starts or stops.
pub fn is_held(dir: &Path) -> bool {
    let Ok(file) = File::open(dir.join(NAME)) else { return false };
    matches!(file.try_lock_shared(), Err(TryLockError::WouldBlock))
}
