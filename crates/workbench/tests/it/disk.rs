//! A disk that loses what was not synced. Everything SQLite does to the files of a watched folder
//! is written down in order; at any place in that record the power may go, and an image is made
//! of what is there then: what was synced, and of the rest nothing, some or all.
#![expect(unsafe_code, reason = "SQLite's door to the files is a table of C functions")]

use hub_testkit::SeededRandom;
use rusqlite::ffi;
use std::collections::{BTreeMap, HashMap};
use std::ffi::{CStr, OsStr, c_int, c_void};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, Once, OnceLock, PoisonError};

/// What the smallest write is that a disk does not tear.
const SECTOR: usize = 512;

/// One thing that happened.
#[derive(Clone)]
enum Entry {
    /// A file as it was found: safe.
    Found(String, Vec<u8>),
    Written(String, usize, Vec<u8>),
    Cut(String, usize),
    Synced(String),
    /// Something that the test wants to know the place of.
    Mark(String),
}

type Log = Vec<Entry>;
type Open = unsafe extern "C" fn(
    *mut ffi::sqlite3_vfs,
    ffi::sqlite3_filename,
    *mut ffi::sqlite3_file,
    c_int,
    *mut c_int,
) -> c_int;

/// A file of a watched folder, and the functions it had.
#[derive(Clone)]
struct File {
    path: PathBuf,
    real: ffi::sqlite3_io_methods,
}

static DISKS: Mutex<BTreeMap<PathBuf, Log>> = Mutex::new(BTreeMap::new());
static FILES: OnceLock<Mutex<HashMap<usize, File>>> = OnceLock::new();
static REAL_OPEN: OnceLock<Open> = OnceLock::new();

fn disks() -> MutexGuard<'static, BTreeMap<PathBuf, Log>> {
    DISKS.lock().unwrap_or_else(PoisonError::into_inner)
}

fn files() -> MutexGuard<'static, HashMap<usize, File>> {
    FILES.get_or_init(Mutex::default).lock().unwrap_or_else(PoisonError::into_inner)
}

/// A folder that is watched.
pub struct Disk(PathBuf);

impl Disk {
    /// Watches the files that are opened in `folder` from now on.
    pub fn watch(folder: &Path) -> Self {
        install();
        let folder = folder.canonicalize().unwrap();
        disks().insert(folder.clone(), Log::new());
        Self(folder)
    }

    /// Notes that something happened here. The files beside the database are as they are now.
    pub fn mark(&self, what: &str) {
        let beside = std::fs::read(self.0.join("hub.mark")).unwrap_or_default();
        let mut disks = disks();
        let log = disks.get_mut(&self.0).unwrap();
        log.push(Entry::Found("hub.mark".into(), beside));
        log.push(Entry::Mark(what.to_owned()));
    }

    /// Ends the watch: what was written down.
    pub fn record(&self) -> Record {
        let log = disks().remove(&self.0).unwrap();
        Record { folder: self.0.clone(), log }
    }
}

/// Everything that happened to a folder.
pub struct Record {
    folder: PathBuf,
    log: Log,
}

impl Record {
    /// How many places there are at which the power may go.
    pub fn places(&self) -> usize {
        self.log.len()
    }

    /// What was marked before a place.
    pub fn marks(&self, place: usize) -> Vec<&str> {
        let all = self.log[..place].iter();
        all.filter_map(|e| if let Entry::Mark(what) = e { Some(&**what) } else { None }).collect()
    }

    /// The places right behind a mark.
    pub fn behind_marks(&self) -> Vec<usize> {
        let all = self.log.iter().enumerate();
        all.filter(|(_, e)| matches!(e, Entry::Mark(_))).map(|(i, _)| i + 1).collect()
    }

    /// The power goes at a place: the folder is as it is found then. Files are written where they
    /// are: another file would be a copy, and that is noticed.
    pub fn cut(&self, place: usize, random: &SeededRandom) {
        let mut files: BTreeMap<&str, (Vec<u8>, Vec<Entry>)> = BTreeMap::new();
        for entry in &self.log[..place] {
            match entry {
                Entry::Found(name, bytes) => {
                    files.insert(name, (bytes.clone(), Vec::new()));
                }
                Entry::Written(name, ..) | Entry::Cut(name, _) => {
                    files.entry(name).or_default().1.push(entry.clone());
                }
                Entry::Synced(name) => {
                    let (safe, rest) = files.entry(name).or_default();
                    rest.drain(..).for_each(|entry| apply(safe, &entry));
                }
                Entry::Mark(_) => {}
            }
        }
        for volatile in ["hub.db-shm", "hub.db-wal"] {
            let _ = std::fs::remove_file(self.folder.join(volatile));
        }
        for (name, (mut bytes, rest)) in files {
            some_of(rest, random).iter().for_each(|entry| apply(&mut bytes, entry));
            std::fs::write(self.folder.join(name), bytes).unwrap();
        }
    }
}

/// Nothing, all, the first ones with the last of them torn, or any of them.
fn some_of(mut rest: Vec<Entry>, random: &SeededRandom) -> Vec<Entry> {
    match random.below(4) {
        0 => rest.clear(),
        1 => {}
        2 => {
            rest.truncate(random.below(rest.len() as u64 + 1) as usize);
            if let Some(Entry::Written(_, _, bytes)) = rest.last_mut() {
                let sectors = bytes.len().div_ceil(SECTOR) as u64;
                bytes.truncate(random.below(sectors + 1) as usize * SECTOR);
            }
        }
        _ => rest.retain(|_| random.below(2) == 0),
    }
    rest
}

fn apply(file: &mut Vec<u8>, entry: &Entry) {
    match entry {
        Entry::Written(_, at, bytes) => {
            file.resize(file.len().max(at + bytes.len()), 0);
            file[*at..at + bytes.len()].copy_from_slice(bytes);
        }
        Entry::Cut(_, length) => file.resize(*length, 0),
        _ => {}
    }
}

/// Puts itself before SQLite's own way to the files, for this process.
fn install() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        // SAFETY: the library is initialised first; the table that is registered is a copy of
        // the system's own, lives for ever, and its name is a constant.
        unsafe {
            assert_eq!(ffi::sqlite3_initialize(), ffi::SQLITE_OK);
            let real = ffi::sqlite3_vfs_find(std::ptr::null());
            REAL_OPEN.get_or_init(|| (*real).xOpen.unwrap());
            let ours = Box::leak(Box::new(ffi::sqlite3_vfs {
                zName: c"losing".as_ptr(),
                pNext: std::ptr::null_mut(),
                xOpen: Some(open),
                ..*real
            }));
            assert_eq!(ffi::sqlite3_vfs_register(ours, 1), ffi::SQLITE_OK);
        }
    });
}

/// A file of a watched folder is written through our functions; all others stay as they are.
unsafe extern "C" fn open(
    vfs: *mut ffi::sqlite3_vfs,
    name: ffi::sqlite3_filename,
    file: *mut ffi::sqlite3_file,
    flags: c_int,
    out: *mut c_int,
) -> c_int {
    // SAFETY: SQLite's own arguments, for the function that they were meant for.
    let code = unsafe { REAL_OPEN.get().unwrap()(vfs, name, file, flags, out) };
    let lasts = flags & (ffi::SQLITE_OPEN_MAIN_DB | ffi::SQLITE_OPEN_WAL) != 0;
    if code != ffi::SQLITE_OK || !lasts || name.is_null() {
        return code;
    }
    // SAFETY: a name of a file that was opened ends in a zero.
    let path = PathBuf::from(OsStr::from_bytes(unsafe { CStr::from_ptr(name) }.to_bytes()));
    if found(&path) {
        // SAFETY: the file was opened, so its table is there. The one it gets lives for ever and
        // differs in four functions, each of which calls the one that was there.
        let real = unsafe {
            let real = *(*file).pMethods;
            (*file).pMethods = Box::leak(Box::new(ffi::sqlite3_io_methods {
                xWrite: Some(write),
                xTruncate: Some(cut),
                xSync: Some(sync),
                xClose: Some(close),
                ..real
            }));
            real
        };
        files().insert(file as usize, File { path, real });
    }
    code
}

/// Whether the file is watched; as it is now, it is safe.
fn found(path: &Path) -> bool {
    let (Some(folder), Some(name)) = (path.parent(), name(path)) else { return false };
    let mut disks = disks();
    let Some(log) = disks.get_mut(folder) else { return false };
    let known = |entry: &Entry| matches!(entry, Entry::Found(known, _) if *known == name);
    if !log.iter().any(known) {
        log.push(Entry::Found(name, std::fs::read(path).unwrap_or_default()));
    }
    true
}

fn name(path: &Path) -> Option<String> {
    path.file_name()?.to_str().map(str::to_owned)
}

fn known(file: *mut ffi::sqlite3_file) -> File {
    files().get(&(file as usize)).cloned().unwrap()
}

fn note(file: &File, entry: impl FnOnce(String) -> Entry) {
    let (Some(folder), Some(name)) = (file.path.parent(), name(&file.path)) else { return };
    if let Some(log) = disks().get_mut(folder) {
        log.push(entry(name));
    }
}

unsafe extern "C" fn write(
    file: *mut ffi::sqlite3_file,
    from: *const c_void,
    amount: c_int,
    at: i64,
) -> c_int {
    let known = known(file);
    // SAFETY: SQLite's own arguments; `from` holds `amount` bytes.
    let (code, bytes) = unsafe {
        let code = known.real.xWrite.unwrap()(file, from, amount, at);
        (code, std::slice::from_raw_parts(from.cast::<u8>(), amount as usize).to_vec())
    };
    if code == ffi::SQLITE_OK {
        note(&known, |name| Entry::Written(name, at as usize, bytes));
    }
    code
}

unsafe extern "C" fn cut(file: *mut ffi::sqlite3_file, length: i64) -> c_int {
    let known = known(file);
    // SAFETY: SQLite's own arguments.
    let code = unsafe { known.real.xTruncate.unwrap()(file, length) };
    if code == ffi::SQLITE_OK {
        note(&known, |name| Entry::Cut(name, length as usize));
    }
    code
}

unsafe extern "C" fn sync(file: *mut ffi::sqlite3_file, flags: c_int) -> c_int {
    let known = known(file);
    // SAFETY: SQLite's own arguments.
    let code = unsafe { known.real.xSync.unwrap()(file, flags) };
    if code == ffi::SQLITE_OK {
        note(&known, Entry::Synced);
    }
    code
}

unsafe extern "C" fn close(file: *mut ffi::sqlite3_file) -> c_int {
    let known = known(file);
    files().remove(&(file as usize));
    // SAFETY: SQLite's own argument, which is not used any more.
    unsafe { known.real.xClose.unwrap()(file) }
}
