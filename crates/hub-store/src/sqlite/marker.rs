//! Was the database restored from a backup? A replay would then send again what was sent since.
//!
//! Beside the database lies a marker, `hub.mark`, that is overwritten in place after every
//! synced transaction with the store's identity, epoch and number of that transaction; the
//! database holds the same numbers, and inode and birth time of the marker. On opening:
//!
//! - the marker knows of a later transaction than the database: an older database was put back
//!   (or, where commits are not synced, a power cut took the last ones);
//! - the marker is gone, another store's, or another file than the one the database knows: the
//!   whole folder was put back or copied.
//!
//! A marker that lags behind says nothing: the power may have gone between the two. A snapshot
//! of the whole disk that is rolled back cannot be seen from within.

use super::open::OpenError;
use std::fs::{File, OpenOptions};
use std::os::unix::fs::{FileExt, MetadataExt, OpenOptionsExt};
use std::path::Path;
use std::time::UNIX_EPOCH;

const NAME: &str = "hub.mark";

/// Why the database is not the one its owner last wrote to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Restored {
    /// It lacks transactions that were written.
    Older,
    /// It, or the whole folder, is a copy.
    Copy,
}

impl std::fmt::Display for Restored {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Older => "the database is older than what was last written to it",
            Self::Copy => "the data folder was copied or restored",
        })
    }
}

impl Restored {
    pub(super) fn code(self) -> i64 {
        match self {
            Self::Older => 1,
            Self::Copy => 2,
        }
    }

    pub(super) fn from_code(code: i64) -> Option<Self> {
        match code {
            0 => None,
            1 => Some(Self::Older),
            _ => Some(Self::Copy),
        }
    }
}

/// The marker file, open for life.
pub(super) struct Marker {
    file: File,
    /// Inode and birth time (0 where the file system keeps none).
    pub(super) place: (i64, i64),
    before: Option<(String, i64, i64)>,
}

/// What the database says of itself.
pub(super) struct Known {
    pub(super) identity: String,
    pub(super) epoch: i64,
    pub(super) mark: i64,
    pub(super) place: (i64, i64),
}

impl Marker {
    /// Opens the marker and reads what it says.
    pub(super) fn open(dir: &Path) -> Result<Self, OpenError> {
        let path = dir.join(NAME);
        let io = |e: std::io::Error| OpenError::io(&path, &e);
        let mut options = OpenOptions::new();
        options.read(true).write(true).create(true).truncate(false).mode(0o600);
        let file = options.open(&path).map_err(io)?;
        let about = file.metadata().map_err(io)?;
        let born = about.created().ok().and_then(|t| t.duration_since(UNIX_EPOCH).ok());
        let born = born.map_or(0, |d| i64::try_from(d.as_nanos()).unwrap_or(0));
        let place = (about.ino().cast_signed(), born);
        let mut bytes = [0; 128];
        let read = file.read_at(&mut bytes, 0).map_err(io)?;
        let text = std::str::from_utf8(&bytes[..read]).unwrap_or_default();
        let before = text.split_once(' ').and_then(|(identity, numbers)| {
            let (epoch, mark) = numbers.trim_end().split_once(' ')?;
            Some((identity.to_owned(), epoch.parse().ok()?, mark.parse().ok()?))
        });
        Ok(Self { file, place, before })
    }

    /// Whether nothing was read from it.
    pub(super) fn is_new(&self) -> bool {
        self.before.is_none()
    }

    /// Compares the two.
    pub(super) fn compare(&self, known: &Known) -> Option<Restored> {
        let Some((identity, epoch, mark)) = &self.before else { return Some(Restored::Copy) };
        let elsewhere = self.place.0 != known.place.0
            || (self.place.1 != known.place.1 && self.place.1 != 0 && known.place.1 != 0);
        if *identity == known.identity && (*epoch, *mark) > (known.epoch, known.mark) {
            Some(Restored::Older)
        } else if *identity != known.identity || elsewhere {
            Some(Restored::Copy)
        } else {
            None
        }
    }

    /// Overwrites it, in place and always as long as before.
    pub(super) fn write(&self, identity: &str, epoch: i64, mark: i64) -> std::io::Result<()> {
        let text = format!("{identity} {epoch:020} {mark:020}\n");
        self.file.write_all_at(text.as_bytes(), 0)
    }

    pub(super) fn sync(&self) -> std::io::Result<()> {
        self.file.sync_all()
    }
}
