//! Opening: folder, lock, file, version, epoch, threads. In this order: nothing is touched
//! before the lock is held.

use super::fault::Fault;
use super::held::Held;
use super::marker::{Known, Marker, Restored};
use super::migrate::{self, Found, MIGRATIONS};
use super::reader::Readers;
use super::writer::{Owner, Writer};
use super::{Counters, SqliteStore, lock, meta};
use hub_core::limits;
use rusqlite::{Connection, ErrorCode, OpenFlags};
use std::fs::{DirBuilder, OpenOptions, Permissions};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

const NAME: &str = "hub.db";
/// How long a write waits for another program that has the file open (a shell, a backup).
const BUSY: Duration = Duration::from_secs(5);
/// Statements kept ready per connection.
const STATEMENTS: usize = 128;
/// Bytes to which the write-ahead log is cut back after a large transaction.
const LOG_BYTES_KEPT: i64 = 16 << 20;

/// How the store is opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options {
    /// What a durable step survives.
    pub durability: Durability,
    /// Threads that read.
    pub readers: usize,
    /// Bytes the database may have; more is as a full disk. None for no bound.
    pub max_bytes: Option<u64>,
    /// Bytes all journals may have together, at most [`limits::JOURNALS_BYTES`]; beyond, runs
    /// can only end.
    pub journals_bytes: u64,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            durability: Durability::Power,
            readers: 2,
            max_bytes: None,
            journals_bytes: limits::JOURNALS_BYTES,
        }
    }
}

/// What a durable step survives.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Durability {
    /// A power cut: synced to the disk before it counts.
    #[default]
    Power,
    /// The end of the process, however it comes; a power cut may take the last steps.
    Process,
}

/// Why the store cannot be opened.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum OpenError {
    /// Another hub has it.
    #[error(
        "another hub{} uses {}; stop it first, or give this one its own data folder",
        .process.map(|p| format!(" (process {p})")).unwrap_or_default(),
        .dir.display()
    )]
    Locked {
        /// The data folder.
        dir: PathBuf,
        /// The other process, where known.
        process: Option<u32>,
    },
    /// Written by a newer hub.
    #[error(
        "{} was written by a newer hub (version {found}, this one reads up to {known}); use the \
         newer hub",
        .path.display()
    )]
    Newer {
        /// The database.
        path: PathBuf,
        /// Its version.
        found: usize,
        /// The newest version that this hub knows.
        known: usize,
    },
    /// Not a store, or no longer one.
    #[error(
        "{} is damaged or no database of a hub; restore a backup, or move the file away to begin \
         anew",
        .path.display()
    )]
    Damaged {
        /// The database.
        path: PathBuf,
    },
    /// The disk is full.
    #[error("no room on the disk for {}; free some space, nothing was lost", .path.display())]
    Full {
        /// The database.
        path: PathBuf,
    },
    /// The system said no.
    #[error("{}: {reason}", .path.display())]
    Io {
        /// What was to be opened.
        path: PathBuf,
        /// Why not.
        reason: String,
    },
}

impl OpenError {
    pub(super) fn io(path: &Path, error: &std::io::Error) -> Self {
        Self::Io { path: path.to_owned(), reason: error.to_string() }
    }

    fn sql(path: &Path, fault: Fault) -> Self {
        let path = path.to_owned();
        match fault.code() {
            Some(ErrorCode::NotADatabase | ErrorCode::DatabaseCorrupt) => Self::Damaged { path },
            Some(ErrorCode::DiskFull) => Self::Full { path },
            _ => Self::Io { path, reason: fault.to_string() },
        }
    }
}

pub(super) fn open(dir: &Path, options: Options) -> Result<SqliteStore, OpenError> {
    private_dir(dir)?;
    let lock = lock::take(dir)?;
    let path = dir.join(NAME);
    private_file(&path)?;
    let sql = |fault: Fault| OpenError::sql(&path, fault);
    let mut db = connect(&path, OpenFlags::SQLITE_OPEN_READ_WRITE).map_err(sql)?;
    let fresh = bring_up(&mut db, &path)?;
    prepare_writer(&db, options).map_err(sql)?;
    let marker = Marker::open(dir)?;
    let (owner, restored) = take_over(&db, &marker, fresh).map_err(sql)?;
    marker.write(&owner.identity, owner.epoch, owner.mark).map_err(|e| OpenError::io(dir, &e))?;
    if fresh || marker.is_new() {
        marker.sync().and_then(|()| sync_dir(dir)).map_err(|e| OpenError::io(dir, &e))?;
    }
    let counters = Arc::<Counters>::default();
    let readers = (0..options.readers.max(1))
        .map(|_| connect(&path, OpenFlags::SQLITE_OPEN_READ_ONLY).map_err(sql))
        .collect::<Result<_, _>>()?;
    let held = Arc::<Held>::default();
    held.look(&db).map_err(sql)?;
    let power = options.durability == Durability::Power;
    Ok(SqliteStore {
        readers: Readers::start(readers).map_err(|e| OpenError::io(dir, &e))?,
        writer: Writer::start(db, owner, marker, power, counters.clone(), held.clone())
            .map_err(|e| OpenError::io(dir, &e))?,
        held,
        counters,
        restored,
        journals_bytes: options.journals_bytes.min(limits::JOURNALS_BYTES).cast_signed(),
        _lock: lock,
    })
}

fn connect(path: &Path, mode: OpenFlags) -> Result<Connection, Fault> {
    let db = Connection::open_with_flags(path, mode | OpenFlags::SQLITE_OPEN_NO_MUTEX)?;
    db.busy_timeout(BUSY)?;
    db.set_prepared_statement_cache_capacity(STATEMENTS);
    db.pragma_update(None, "trusted_schema", false)?;
    db.pragma_update(None, "cell_size_check", true)?;
    db.pragma_update(None, "temp_store", "memory")?;
    db.pragma_update(None, "foreign_keys", true)?;
    Ok(db)
}

/// Brings the file to the newest version; whether it was empty.
fn bring_up(db: &mut Connection, path: &Path) -> Result<bool, OpenError> {
    let sql = |fault: Fault| OpenError::sql(path, fault);
    let found = migrate::look(db).map_err(sql)?;
    let known = MIGRATIONS.len();
    let from = match found {
        Found::Foreign => return Err(OpenError::Damaged { path: path.to_owned() }),
        Found::Version(found) if found > known => {
            return Err(OpenError::Newer { path: path.to_owned(), found, known });
        }
        Found::Version(version) => version,
        Found::Empty => {
            let shrinks = db.pragma_update(None, "auto_vacuum", "incremental");
            shrinks.map_err(|e| sql(e.into()))?;
            0
        }
    };
    migrate::run(db, from, MIGRATIONS).map_err(sql)?;
    Ok(from == 0)
}

fn prepare_writer(db: &Connection, options: Options) -> Result<(), Fault> {
    // Answers with the mode that now holds.
    db.query_row("PRAGMA journal_mode = WAL", [], |_| Ok(()))?;
    db.pragma_update(None, "synchronous", "FULL")?;
    db.pragma_update(None, "fullfsync", true)?;
    db.pragma_update(None, "checkpoint_fullfsync", true)?;
    db.query_row(&format!("PRAGMA journal_size_limit = {LOG_BYTES_KEPT}"), [], |_| Ok(()))?;
    if let Some(bytes) = options.max_bytes {
        let page: u64 =
            db.pragma_query_value(None, "page_size", |row| row.get::<_, i64>(0))?.unsigned_abs();
        let pages = bytes / page.max(1);
        db.query_row(&format!("PRAGMA max_page_count = {pages}"), [], |_| Ok(()))?;
    }
    Ok(())
}

/// Raises the epoch, and finds out whether the database is the one that was last written to.
fn take_over(
    db: &Connection,
    marker: &Marker,
    fresh: bool,
) -> Result<(Owner, Option<Restored>), Fault> {
    let step = db.unchecked_transaction()?;
    let known = Known {
        identity: step.query_row("SELECT id FROM identity", [], |row| row.get(0))?,
        epoch: meta::get(&step, "epoch")?,
        mark: meta::get(&step, "mark")?,
        place: (meta::get(&step, "marker_inode")?, meta::get(&step, "marker_born")?),
    };
    let found = if fresh { None } else { marker.compare(&known) };
    if let Some(found) = found {
        meta::set(&step, "restored", found.code())?;
    }
    let epoch = meta::raise(&step, "epoch")?;
    meta::set(&step, "marker_inode", marker.place.0)?;
    meta::set(&step, "marker_born", marker.place.1)?;
    let restored = Restored::from_code(meta::get(&step, "restored")?);
    step.commit()?;
    Ok((Owner { identity: known.identity, epoch, mark: known.mark }, restored))
}

/// The folder, for its owner alone.
fn private_dir(dir: &Path) -> Result<(), OpenError> {
    let io = |e: std::io::Error| OpenError::io(dir, &e);
    DirBuilder::new().recursive(true).mode(0o700).create(dir).map_err(io)?;
    let mode = std::fs::metadata(dir).map_err(io)?.permissions().mode();
    if mode & 0o077 != 0 {
        std::fs::set_permissions(dir, Permissions::from_mode(0o700)).map_err(io)?;
    }
    Ok(())
}

/// The database, for its owner alone; SQLite gives the files beside it the same rights.
fn private_file(path: &Path) -> Result<(), OpenError> {
    let io = |e: std::io::Error| OpenError::io(path, &e);
    let mut options = OpenOptions::new();
    options.read(true).write(true).create(true).truncate(false).mode(0o600);
    let file = options.open(path).map_err(io)?;
    let mode = file.metadata().map_err(io)?.permissions().mode();
    if mode & 0o077 != 0 {
        file.set_permissions(Permissions::from_mode(0o600)).map_err(io)?;
    }
    Ok(())
}

/// New files survive a power cut only once their folder does.
fn sync_dir(dir: &Path) -> std::io::Result<()> {
    std::fs::File::open(dir)?.sync_all()
}

/// Reads the whole database in `dir` for damage, without the lock and without changing anything;
/// a hub may be at work on it. None where there is no database yet.
pub fn inspect(dir: &Path) -> Result<Option<Vec<String>>, String> {
    let path = dir.join(NAME);
    if !path.exists() {
        return Ok(None);
    }
    let look = || -> rusqlite::Result<Vec<String>> {
        let mode = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let db = Connection::open_with_flags(&path, mode)?;
        db.busy_timeout(BUSY)?;
        let mut statement = db.prepare("PRAGMA quick_check")?;
        let lines = statement.query_map([], |row| row.get(0))?;
        lines.collect()
    };
    let found = look().map_err(|error| error.to_string())?;
    Ok(Some(found.into_iter().filter(|line| line != "ok").collect()))
}
