//! How long a reading takes: medians of plain, typed and full-length programs.

use hub_core::ports::{ArgProblem, KnownTools, Prepare};
use hub_guest::Reader;
use serde_json::Value;
use std::time::Instant;

const ROUNDS: usize = 101;

struct Any;

impl KnownTools for Any {
    fn is_namespace(&self, name: &str) -> bool {
        name == "github"
    }
    fn is_tool(&self, _: &str, _: &str) -> bool {
        true
    }
    fn closest(&self, _: &str, _: &str) -> Vec<String> {
        Vec::new()
    }
    fn check(&self, _: &str, _: &str, _: &Value) -> Vec<ArgProblem> {
        Vec::new()
    }
}

const PLAIN: &str = "
async function page_N(repo, limit) {
  const out = [];
  let cursor;
  do {
    const got = await github.listIssues({ repo, cursor, perPage: 100 });
    out.push(...got.items.filter((i) => i.state === 'open'));
    cursor = got.next ?? undefined;
  } while (cursor && out.length < limit);
  return out.map((i) => `${i.id}: ${i.title.replace(/\\s+/g, ' ')}`);
}
console.log(JSON.stringify(await page_N('a/b', 50)));
";

const TYPED: &str = "
interface Issue_N { id: number; title: string; labels?: string[]; state: 'open' | 'closed' }
async function page_N<T extends Issue_N>(repo: string, limit = 50): Promise<T[]> {
  const out: T[] = [];
  let cursor: string | undefined;
  do {
    const got = (await github.listIssues({ repo, cursor })) as { items: T[]; next?: string };
    out.push(...got.items.filter((i): i is T => i.state === 'open'));
    cursor = got.next!;
  } while (cursor && out.length < limit);
  return out satisfies T[];
}
console.log(JSON.stringify(await page_N<Issue_N>('a/b')));
";

fn program(piece: &str, bytes: usize) -> String {
    let mut text = String::new();
    for n in 0.. {
        let next = piece.replace('N', &n.to_string());
        if text.len() + next.len() > bytes {
            break;
        }
        text.push_str(&next);
    }
    text + "return 1;"
}

fn main() {
    let reader = Reader::new();
    for (name, code) in [
        ("one line", "return 1".to_owned()),
        ("5 KB plain", program(PLAIN, 5_000)),
        ("5 KB typed", program(TYPED, 5_000)),
        ("5 KB with an enum", format!("enum E {{ A }}\n{}", program(TYPED, 4_900))),
        ("64 KB plain", program(PLAIN, 65_000)),
        ("64 KB typed", program(TYPED, 65_000)),
    ] {
        let mut times: Vec<f64> = (0..ROUNDS)
            .map(|_| {
                let start = Instant::now();
                let read = reader.prepare(&code, &Any);
                let time = start.elapsed().as_secs_f64() * 1e6;
                assert!(read.is_ok(), "{read:?}");
                time
            })
            .collect();
        times.sort_by(f64::total_cmp);
        println!("{name}: median {:.0} us, best {:.0} us", times[ROUNDS / 2], times[0]);
    }
}
