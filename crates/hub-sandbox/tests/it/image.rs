//! The committed image, and the code made from it.

use crate::support::{Play, WASM, block_on};
use hub_core::digest::Digest;
use hub_core::ports::Driver;
use hub_sandbox::{WasmDriver, WasmOptions};
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// Every file the image is made from, as `cargo xtask guest` lists them.
fn sources() -> Digest {
    let guest = root().join("hub-guest-vm");
    let mut files = vec![guest.join("Cargo.toml")];
    for folder in ["src", "prelude"] {
        for entry in std::fs::read_dir(guest.join(folder)).unwrap() {
            files.push(entry.unwrap().path());
        }
    }
    files.sort();
    let mut parts = Vec::new();
    for file in files {
        let name = file.strip_prefix(&guest).unwrap().to_str().unwrap().replace('\\', "/");
        parts.push(name.into_bytes());
        parts.push(std::fs::read(&file).unwrap());
    }
    Digest::of_parts(parts.iter().map(Vec::as_slice))
}

#[test]
fn the_image_is_made_from_the_sources_that_are_here() {
    let folder = root().join("hub-sandbox");
    let lock = std::fs::read_to_string(folder.join("guest.lock")).unwrap();
    let image = Digest::of(&std::fs::read(folder.join("guest.wasm")).unwrap());
    let expected = format!("image {image}\nsources {}\n", sources());
    assert_eq!(lock, expected, "run `cargo xtask guest` and commit what it writes");
}

#[test]
fn the_engine_is_named_by_its_image() {
    let id = WASM.engine_id();
    let image = Digest::of(WasmDriver::built_in_image());
    assert!(id.starts_with(&format!("wasm:{image}/")), "{id}");
}

fn runs(options: WasmOptions) {
    let driver = WasmDriver::open(options).unwrap();
    let play = Play { driver, seed: [0; 32], ..Play::default() };
    assert_eq!(play.run("return 1").value(), 1);
}

/// The kept code of the other tests, copied where this test may spoil it.
#[cfg(unix)]
fn copied() -> tempfile::TempDir {
    use std::os::unix::fs::PermissionsExt;
    block_on(WASM.prepared()).unwrap();
    let from = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("guest-code");
    let to = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    std::fs::set_permissions(to.path(), PermissionsExt::from_mode(0o700)).unwrap();
    for entry in std::fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        match std::fs::copy(entry.path(), to.path().join(entry.file_name())) {
            Ok(_) => {}
            // Another test clears old code away at the same time.
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {}
            Err(error) => panic!("{error}"),
        }
    }
    to
}

#[cfg(unix)]
fn code_files(dir: &Path) -> Vec<PathBuf> {
    let files = std::fs::read_dir(dir).unwrap().map(|entry| entry.unwrap().path());
    files.filter(|path| path.extension().is_some_and(|end| end == "code")).collect()
}

#[cfg(unix)]
#[test]
fn kept_code_that_was_touched_is_not_used_and_is_replaced() {
    let dir = copied();
    let spoilt: Vec<(PathBuf, Vec<u8>)> = code_files(dir.path())
        .into_iter()
        .map(|file| {
            let mut bytes = std::fs::read(&file).unwrap();
            let middle = bytes.len() / 2;
            bytes[middle] ^= 1;
            std::fs::write(&file, &bytes).unwrap();
            (file, bytes)
        })
        .collect();
    runs(WasmOptions { cache_dir: Some(dir.path().into()), ..WasmOptions::default() });
    // The folder may hold the code of earlier images too; one file is this image's.
    let changed =
        spoilt.iter().filter(|(file, bytes)| std::fs::read(file).map_or(true, |now| now != *bytes));
    assert!(changed.count() >= 1, "compiled anew and kept");
    assert!(code_files(dir.path()).len() <= 4, "old code is cleared away");
}

#[cfg(unix)]
#[test]
fn a_folder_that_others_may_enter_keeps_nothing() {
    use std::os::unix::fs::PermissionsExt;
    let dir = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    std::fs::set_permissions(dir.path(), PermissionsExt::from_mode(0o755)).unwrap();
    runs(WasmOptions { cache_dir: Some(dir.path().into()), ..WasmOptions::default() });
    assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 0);
}

#[test]
fn an_image_of_another_build_is_another_engine() {
    // A custom section more: the same guest in other bytes.
    let mut image = WasmDriver::built_in_image().to_vec();
    image.extend_from_slice(&[0, 4, 3, b'o', b'l', b'd']);
    let options = WasmOptions { image: Some(image), ..WasmOptions::default() };
    let driver = WasmDriver::open(options).unwrap();
    assert_ne!(driver.engine_id(), WASM.engine_id());
    let play = Play { driver, seed: [0; 32], ..Play::default() };
    assert_eq!(play.run("return 1").value(), 1);
}

#[test]
fn a_run_of_another_build_goes_on_in_that_build() {
    // A word of the engine itself, as a program sees it: really another build.
    let ours = WasmDriver::built_in_image();
    let word = b"not a function";
    let mut image = ours.to_vec();
    let at: Vec<usize> =
        (0..image.len() - word.len()).filter(|&i| &image[i..i + word.len()] == word).collect();
    assert!(!at.is_empty(), "the image has the engine's messages");
    at.iter().for_each(|&i| image[i..i + word.len()].copy_from_slice(b"not a Funktion"));
    let options = WasmOptions { image: Some(image.clone()), ..WasmOptions::default() };
    let older = WasmDriver::open(options).unwrap();
    assert_eq!(older.image().unwrap(), image.as_slice());
    // The hub that has ours by now opens theirs by the id that its runs are pinned to.
    let id = older.engine_id();
    let kept = hub_core::run::engine_blobs(&id).collect::<Vec<_>>();
    assert_eq!(kept, [Digest::of(&image)]);
    assert!(WASM.other_build(&id, ours).is_none(), "another image is not that build");
    assert!(WASM.other_build("worker:1", &image).is_none());
    let opened = WASM.other_build(&id, &image).unwrap();
    assert_eq!(opened.engine_id(), id);
    let says = |driver: std::sync::Arc<dyn Driver>| {
        let play = Play { driver, seed: [0; 32], ..Play::default() };
        play.run("try { (1)(); } catch (e) { return e.message; }").value().to_string()
    };
    assert!(says(opened).contains("Funktion"));
    assert!(says(WASM.clone()).contains("function"));
}

#[test]
fn a_driver_for_later_makes_nothing_before_a_program_comes() {
    let folder = tempfile::tempdir().unwrap();
    let place = |name: &str| Some(folder.path().join(name));
    let options = |name| WasmOptions { cache_dir: place(name), ..WasmOptions::default() };
    let later = WasmDriver::later(options("later"));
    let other = WasmDriver::open(options("other")).unwrap();
    assert_eq!(later.engine_id(), other.engine_id());
    assert_eq!(later.image(), other.image());
    // The other has made its code by now; this one has not even a place for it.
    block_on(other.prepared()).unwrap();
    assert!(folder.path().join("other").exists());
    assert!(!later.is_ready() && !folder.path().join("later").exists());
    let play = Play { driver: later.clone(), ..Play::default() };
    assert_eq!(play.run("return 1").value(), 1);
    assert!(later.is_ready() && folder.path().join("later").exists());
}
