//! Simple rankers to be better than, each from its description alone.

use super::measure::DEPTH;
use super::sets::{Set, Tool};
use std::collections::{BTreeMap, HashMap, HashSet};

/// A ranker over one set: scores of all tools for a query, 0 for no match.
pub type Scores = Box<dyn Fn(&str) -> Vec<f64>>;

/// What makes a ranker for a set.
pub type Baseline = fn(&Set) -> Scores;

/// The baselines with their names.
pub const BASELINES: [(&str, Baseline); 5] = [
    ("substring counts", substrings),
    ("field-weighted substrings", weighted_substrings),
    ("TF-IDF cosine, split and stemmed", tf_idf),
    ("BM25", bm25),
    ("BM25, split, stopped, stemmed", bm25_analysed),
];

/// Ids of the tools with the best scores; ties in the order of the catalogue.
pub fn best(set: &Set, scores: &[f64]) -> Vec<String> {
    let mut order: Vec<usize> = (0..scores.len()).filter(|&i| scores[i] > 0.0).collect();
    order.sort_by(|&a, &b| scores[b].total_cmp(&scores[a]).then(a.cmp(&b)));
    order.into_iter().take(DEPTH).map(|i| set.tools[i].id.clone()).collect()
}

fn substrings(set: &Set) -> Scores {
    let texts: Vec<String> = set.tools.iter().map(|t| all_text(t).to_lowercase()).collect();
    Box::new(move |query| {
        let words = plain(query);
        let held = |text: &String| words.iter().filter(|w| text.contains(*w)).count() as f64;
        texts.iter().map(held).collect()
    })
}

fn weighted_substrings(set: &Set) -> Scores {
    let lower = |t: &Tool| {
        [(&t.name, 4.0), (&t.namespace, 2.0), (&t.description, 1.0)]
            .map(|(text, weight)| (text.to_lowercase(), weight))
    };
    let texts: Vec<_> = set.tools.iter().map(lower).collect();
    Box::new(move |query| {
        let words = plain(query);
        let held = |fields: &[(String, f64); 3]| {
            let one = |word: &String| -> f64 {
                fields.iter().filter(|(text, _)| text.contains(word)).map(|(_, w)| w).sum()
            };
            words.iter().map(one).sum()
        };
        texts.iter().map(held).collect()
    })
}

fn bm25(set: &Set) -> Scores {
    bm25_over(set.tools.iter().map(|t| plain(&all_text(t))).collect(), plain)
}

fn bm25_analysed(set: &Set) -> Scores {
    bm25_over(set.tools.iter().map(|t| analysed(&all_text(t))).collect(), analysed)
}

fn bm25_over(docs: Vec<Vec<String>>, words: fn(&str) -> Vec<String>) -> Scores {
    const K1: f64 = 1.5;
    const B: f64 = 0.75;
    let counted = Counted::of(&docs);
    let usual = docs.iter().map(Vec::len).sum::<usize>() as f64 / docs.len().max(1) as f64;
    let norms: Vec<f64> =
        docs.iter().map(|d| K1 * (1.0 - B + B * d.len() as f64 / usual.max(1.0))).collect();
    Box::new(move |query| {
        let mut scores = vec![0.0; norms.len()];
        for word in words(query) {
            let Some(holders) = counted.holders.get(&word) else { continue };
            let df = holders.len() as f64;
            let idf = (1.0 + (norms.len() as f64 - df + 0.5) / (df + 0.5)).ln();
            for &(doc, count) in holders {
                scores[doc] += idf * count * (K1 + 1.0) / (count + norms[doc]);
            }
        }
        scores
    })
}

fn tf_idf(set: &Set) -> Scores {
    let docs: Vec<_> = set
        .tools
        .iter()
        .map(|t| analysed(&format!("{} {} {}", t.namespace, t.name, t.description)))
        .collect();
    let counted = Counted::of(&docs);
    let all = docs.len() as f64;
    let idf = move |holders: usize| (1.0 + all / (1.0 + holders as f64)).ln();
    let mut lengths = vec![0.0; docs.len()];
    for holders in counted.holders.values() {
        for &(doc, count) in holders {
            lengths[doc] += (count * idf(holders.len())).powi(2);
        }
    }
    Box::new(move |query| {
        let mut asked: BTreeMap<String, f64> = BTreeMap::new();
        for word in analysed(query) {
            *asked.entry(word).or_default() += 1.0;
        }
        let mut scores = vec![0.0; lengths.len()];
        for (word, times) in asked {
            let Some(holders) = counted.holders.get(&word) else { continue };
            let weight = idf(holders.len());
            for &(doc, count) in holders {
                scores[doc] += times * weight * count * weight / lengths[doc].sqrt();
            }
        }
        scores
    })
}

/// Which documents hold a word, and how often.
struct Counted {
    holders: HashMap<String, Vec<(usize, f64)>>,
}

impl Counted {
    fn of(docs: &[Vec<String>]) -> Self {
        let mut holders: HashMap<String, Vec<(usize, f64)>> = HashMap::new();
        for (at, doc) in docs.iter().enumerate() {
            for word in doc {
                let list = holders.entry(word.clone()).or_default();
                match list.last_mut() {
                    Some((last, count)) if *last == at => *count += 1.0,
                    _ => list.push((at, 1.0)),
                }
            }
        }
        Self { holders }
    }
}

fn all_text(tool: &Tool) -> String {
    let mut out = format!("{} {}", tool.name, tool.description);
    for parameter in &tool.parameters {
        out.push(' ');
        out.push_str(&parameter.name);
        out.push(' ');
        out.push_str(&parameter.description);
    }
    out
}

/// Runs of `[a-z0-9]` in lower case.
fn plain(text: &str) -> Vec<String> {
    text.to_lowercase()
        .split(|c: char| !c.is_ascii_alphanumeric())
        .filter(|w| !w.is_empty())
        .map(str::to_owned)
        .collect()
}

/// Split at case too, stop words dropped, endings cut.
fn analysed(text: &str) -> Vec<String> {
    const STOP: &str = "a an and are as at be by for from has have i in is it its of on or that \
        the this to was were will with you your me my we our do does can what which how who";
    let stop: HashSet<&str> = STOP.split_whitespace().collect();
    let mut spaced = String::new();
    let mut before = ' ';
    for c in text.chars() {
        if c.is_ascii_uppercase() && (before.is_ascii_lowercase() || before.is_ascii_digit()) {
            spaced.push(' ');
        }
        spaced.push(c);
        before = c;
    }
    plain(&spaced).into_iter().filter(|w| !stop.contains(w.as_str())).map(stem).collect()
}

/// Cuts the commonest English endings.
fn stem(word: String) -> String {
    const ENDINGS: [(&str, &str); 10] = [
        ("ations", "ate"),
        ("ation", "ate"),
        ("ies", "y"),
        ("sses", "ss"),
        ("ings", ""),
        ("ing", ""),
        ("ed", ""),
        ("es", ""),
        ("s", ""),
        ("e", ""),
    ];
    for (ending, instead) in ENDINGS {
        match word.strip_suffix(ending) {
            Some(rest) if rest.len() >= 3 && !rest.ends_with('s') => {
                let cut = format!("{rest}{instead}");
                return cut.strip_suffix('e').unwrap_or(&cut).to_owned();
            }
            _ => {}
        }
    }
    word
}
