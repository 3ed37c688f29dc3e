//! What is declared for generated schemas compiles under `tsc --strict`.

use super::budget::followed;
use super::*;
use proptest::strategy::{Strategy, ValueTree};
use proptest::test_runner::TestRunner;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Modules compiled in one go.
const MODULES: usize = 200;

/// The compiler, if `.ci/setup` installed it.
#[expect(clippy::disallowed_methods, reason = "a test says whether it may be skipped")]
fn compiler() -> Option<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let file = root.join(".tools/npm/node_modules/typescript/lib/tsc.js");
    if file.exists() {
        return Some(file);
    }
    assert!(std::env::var_os("HUB_REQUIRE_TOOLS").is_none(), "tsc is missing: run .ci/setup");
    println!("skipped: tsc is not installed (.ci/setup does that)");
    None
}

fn node(compiler: &Path) -> PathBuf {
    let own = compiler.ancestors().nth(5).map(|at| at.join("node/node_modules/.bin/node"));
    own.filter(|node| node.exists()).unwrap_or_else(|| "node".into())
}

/// Complaints of the compiler about the modules.
fn compile(compiler: &Path, modules: &[String]) -> String {
    let folder = tempfile::tempdir().unwrap();
    for (at, text) in modules.iter().enumerate() {
        let text = format!("export {{}};\n{text}");
        std::fs::write(folder.path().join(format!("m{at}.ts")), text).unwrap();
    }
    let project = json!({
        "compilerOptions": { "strict": true, "noEmit": true, "target": "es2022", "types": [],
            "module": "es2022", "skipLibCheck": true },
        "include": ["*.ts"],
    });
    std::fs::write(folder.path().join("tsconfig.json"), project.to_string()).unwrap();
    let output = Command::new(node(compiler))
        .arg(compiler)
        .args(["--pretty", "false", "-p"])
        .arg(folder.path())
        .output()
        .unwrap();
    let told = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success() || !told.is_empty(), "{output:?}");
    told
}

#[test]
fn declarations_of_generated_schemas_compile() {
    let Some(compiler) = compiler() else { return };
    let mut runner = TestRunner::deterministic();
    let pair = (generated::root(), proptest::option::of(generated::root()), 200usize..2_500);
    let modules: Vec<String> = (0..MODULES)
        .map(|_| {
            let (input, output, budget) = pair.new_tree(&mut runner).unwrap().current();
            followed(vec![tool("probe", input, output)], budget).0
        })
        .collect();
    let told = compile(&compiler, &modules);
    let first = told.lines().next().unwrap_or_default();
    let at: Option<usize> = first.split(['m', '.']).nth(1).and_then(|n| n.parse().ok());
    assert!(told.is_empty(), "{told}\n{}", at.map_or("", |at| modules[at].as_str()));
}

#[test]
fn the_compiler_does_complain() {
    let Some(compiler) = compiler() else { return };
    let told = compile(&compiler, &["const n: number = \"text\";".to_owned()]);
    assert!(told.contains("TS2322"), "{told}");
}
