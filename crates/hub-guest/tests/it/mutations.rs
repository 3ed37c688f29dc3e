//! Broken and odd code is refused or read, and never breaks the reader.

use crate::support::with_github;
use crate::{preflight, shapes, strip, syntax};
use hub_core::error::RunErrorCode;

const ROUNDS: usize = 3_000;

const PIECES: &[&str] = &[
    "(",
    ")",
    "[",
    "]",
    "{",
    "}",
    "<",
    ">",
    "`",
    "${",
    "\"",
    "'",
    "/",
    "//",
    "/*",
    "*/",
    ";",
    ",",
    ":",
    "?",
    "?.",
    ".",
    "...",
    "=",
    "=>",
    "!",
    "as T",
    "satisfies T",
    "await ",
    "async ",
    "return ",
    "export default ",
    "import ",
    "type X = ",
    "enum X {",
    "namespace N {",
    "class A {",
    "abstract ",
    "function ",
    "\n",
    "\r\n",
    "\u{2028}",
    "\u{feff}",
    "😀",
    "é",
    "\\",
    "```\n",
    "~~~\n",
    "#",
    "@",
    "github.createIssue(",
    "github?.x()",
    "{ owner: 1 }",
    "0",
    "1e3",
    "in ",
    "of ",
    "<T>",
    "declare ",
];

/// A small generator, the same in every run.
struct Random(u64);

impl Random {
    fn below(&mut self, n: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % n as u64).unwrap_or(0)
    }
}

fn corpus() -> Vec<String> {
    let one = strip::ERASED.iter().chain(shapes::LEFT).chain(preflight::SURE).copied();
    let two = strip::TRANSFORMED.iter().map(|t| t.0).chain(shapes::REWRITTEN.iter().map(|t| t.0));
    let three = syntax::REFUSED.iter().map(|t| t.0).chain(preflight::UNSURE.iter().copied());
    one.chain(two).chain(three).map(|code| code.replace('§', "github.createIssu({})")).collect()
}

fn mutate(code: &str, corpus: &[String], random: &mut Random) -> String {
    let mut chars: Vec<char> = code.chars().collect();
    for _ in 0..1 + random.below(3) {
        let at = random.below(chars.len() + 1);
        let end = (at + random.below(8)).min(chars.len());
        match random.below(5) {
            0 => drop(chars.drain(at..end)),
            1 => {
                let again: Vec<char> = chars[at..end].to_vec();
                chars.splice(at..at, again);
            }
            2 => {
                let other: Vec<char> = corpus[random.below(corpus.len())].chars().collect();
                let from = random.below(other.len() + 1);
                chars.splice(at..at, other[from..].iter().copied());
            }
            _ => drop(chars.splice(at..at, PIECES[random.below(PIECES.len())].chars())),
        }
    }
    chars.into_iter().collect()
}

#[test]
fn no_mutation_breaks_the_reader() {
    let corpus = corpus();
    let mut random = Random(0x9E37_79B9_7F4A_7C15);
    for _ in 0..ROUNDS {
        let code = mutate(&corpus[random.below(corpus.len())], &corpus, &mut random);
        match with_github(&code) {
            Ok(read) => {
                let lines = code.matches('\n').count() + 1;
                for line in 1..=read.program.matches('\n').count() + 1 {
                    let (line, _) = read.positions.original(line as u32, 1);
                    assert!((1..=lines as u32).contains(&line), "{code:?}");
                }
            }
            Err(error) => {
                assert_ne!(error.code, RunErrorCode::Internal, "{code:?}");
                assert!(!error.message.is_empty());
                let lines = code.matches('\n').count() as u32 + 1;
                assert!(error.line.is_none_or(|line| line >= 1 && line <= lines), "{code:?}");
            }
        }
    }
}
