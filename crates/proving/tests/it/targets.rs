//! Every target keeps its promise for its kept inputs, and its grammar is whole.

use proving::choices::bytes;
use proving::targets::ALL;
use std::path::Path;

#[test]
fn kept_inputs_break_nothing() {
    for target in ALL {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus").join(target.name);
        let files: Vec<_> = std::fs::read_dir(folder).unwrap().map(|f| f.unwrap().path()).collect();
        assert!(files.len() > 10, "{}: {} inputs", target.name, files.len());
        for file in files {
            eprintln!("{}", file.display());
            (target.check)(&std::fs::read(file).unwrap());
        }
    }
}

#[test]
fn made_up_inputs_break_nothing() {
    for target in ALL {
        for seed in 0..40 {
            eprintln!("{} {seed}", target.name);
            (target.check)(&bytes(seed, 300));
        }
    }
}
