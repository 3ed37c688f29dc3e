use super::{VALUE, resolve, secret, secrets};
use hub_core::connection::Secret;
use hub_core::ports::SecretKeeper;
use hub_secrets::VALUE_BYTES;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

fn set_mode(path: &Path, mode: u32) {
    fs::set_permissions(path, fs::Permissions::from_mode(mode)).expect("the mode is set");
}

#[tokio::test]
async fn values_are_kept_replaced_listed_and_forgotten() {
    let dir = tempfile::tempdir().unwrap();
    let here = secrets(dir.path());
    assert!(resolve(&here, "file:a").await.unwrap_err().contains("no such secret"));
    assert_eq!(here.names().await.unwrap(), Vec::<String>::new());
    assert_eq!(
        here.put("work/token", Secret::new("old")).await.unwrap().to_string(),
        "file:work/token"
    );
    here.put("work/token", secret()).await.unwrap();
    here.put("a", Secret::new("-----BEGIN\nkey\n")).await.unwrap();
    // Another process sees it at once.
    let there = secrets(dir.path());
    assert_eq!(resolve(&there, "file:work/token").await.unwrap(), VALUE);
    assert_eq!(resolve(&there, "file:a").await.unwrap(), "-----BEGIN\nkey\n");
    assert_eq!(there.names().await.unwrap(), ["a", "work/token"]);
    assert!(there.remove("a").await.unwrap());
    assert!(!there.remove("a").await.unwrap());
    assert_eq!(here.names().await.unwrap(), ["work/token"]);
}

#[tokio::test]
async fn nothing_readable_lies_on_the_disk_and_nobody_else_may_read() {
    let dir = tempfile::tempdir().unwrap();
    secrets(dir.path()).put("name-of-it", secret()).await.unwrap();
    for entry in fs::read_dir(dir.path()).unwrap() {
        let entry = entry.unwrap();
        let bytes = fs::read(entry.path()).unwrap();
        for plain in [VALUE, "name-of-it"] {
            assert!(!bytes.windows(plain.len()).any(|w| w == plain.as_bytes()));
        }
        assert_eq!(entry.metadata().unwrap().permissions().mode() & 0o777, 0o600);
    }
}

#[tokio::test]
async fn any_change_is_noticed() {
    let dir = tempfile::tempdir().unwrap();
    let secrets = secrets(dir.path());
    secrets.put("a", secret()).await.unwrap();
    let path = dir.path().join("secrets.sealed");
    let good = fs::read(&path).unwrap();
    for i in 8..good.len() {
        let mut bad = good.clone();
        bad[i] ^= 1;
        fs::write(&path, bad).unwrap();
        let error = resolve(&secrets, "file:a").await.unwrap_err();
        assert!(error.contains("changed or damaged"), "byte {i}: {error}");
    }
    for cut in [0, 7, 8, 31, good.len() - 1] {
        fs::write(&path, &good[..cut]).unwrap();
        assert!(resolve(&secrets, "file:a").await.unwrap_err().contains("changed or damaged"));
        // Nor is it written over.
        assert!(secrets.put("b", Secret::new("x")).await.is_err());
    }
    let mut newer = good.clone();
    newer[7] = b'2';
    fs::write(&path, newer).unwrap();
    assert!(resolve(&secrets, "file:a").await.unwrap_err().contains("newer hub"));
    fs::write(&path, good).unwrap();
    assert_eq!(resolve(&secrets, "file:a").await.unwrap(), VALUE);
}

#[tokio::test]
async fn the_key_must_be_there_whole_and_private() {
    let dir = tempfile::tempdir().unwrap();
    let secrets = secrets(dir.path());
    secrets.put("a", secret()).await.unwrap();
    let key = dir.path().join("secrets.key");
    let sealed = dir.path().join("secrets.sealed");
    for path in [&key, &sealed] {
        for mode in [0o640, 0o604, 0o620] {
            set_mode(path, mode);
            let error = resolve(&secrets, "file:a").await.unwrap_err();
            assert!(error.contains("chmod 600"), "{error}");
        }
        set_mode(path, 0o600);
    }
    let good = fs::read(&key).unwrap();
    for bad in [&good[..31], &[good.clone(), vec![1]].concat()] {
        fs::write(&key, bad).unwrap();
        assert!(resolve(&secrets, "file:a").await.unwrap_err().contains("is no key"));
    }
    fs::write(&key, [7; 32]).unwrap();
    assert!(resolve(&secrets, "file:a").await.unwrap_err().contains("its key is another"));
    fs::remove_file(&key).unwrap();
    assert!(resolve(&secrets, "file:a").await.unwrap_err().contains("is missing"));
    assert!(secrets.put("b", Secret::new("x")).await.is_err(), "no second key is made");
    assert!(!key.exists());
    fs::write(&key, good).unwrap();
    set_mode(&key, 0o600);
    assert_eq!(resolve(&secrets, "file:a").await.unwrap(), VALUE);
}

#[tokio::test]
async fn names_and_values_have_bounds() {
    let dir = tempfile::tempdir().unwrap();
    let secrets = secrets(dir.path());
    let long = "n".repeat(200);
    secrets.put(&long, Secret::new("v".repeat(VALUE_BYTES))).await.unwrap();
    for name in ["", "a b", "a\n", "é", &"n".repeat(201)] {
        assert!(secrets.put(name, secret()).await.is_err(), "{name:?}");
    }
    for value in [String::new(), "v".repeat(VALUE_BYTES + 1), "a\0b".to_owned()] {
        assert!(secrets.put("a", Secret::new(value)).await.is_err());
    }
}

#[tokio::test]
async fn writers_do_not_lose_each_others_secrets() {
    let dir = tempfile::tempdir().unwrap();
    let mut tasks = Vec::new();
    for n in 0..16 {
        let secrets = secrets(dir.path());
        tasks.push(tokio::spawn(async move {
            secrets.put(&format!("n{n}"), secret()).await.unwrap();
        }));
    }
    for task in tasks {
        task.await.unwrap();
    }
    assert_eq!(secrets(dir.path()).names().await.unwrap().len(), 16);
}
