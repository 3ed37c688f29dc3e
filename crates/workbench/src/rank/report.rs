//! Shows figures: a table for people, misses for whoever improves the ranking.

use super::baselines::{BASELINES, best};
use super::measure::Figures;
use super::ours::Ours;
use super::sets::{Notes, Set};
use hub_core::search::Weights;
use std::fmt::Write;

/// Figures of all rankers on one query file.
pub struct Rows {
    pub file: String,
    pub tools: usize,
    pub queries: usize,
    pub notes: Notes,
    /// Name of the ranker and its figures; ours last.
    pub rankers: Vec<(&'static str, Figures)>,
}

/// What holds a query file back, by its name. Read with the misses at hand.
const NOTES: &[(&str, &str)] = &[
    (
        "azure-mcp",
        "What is missed asks a price in words that no tool of prices has, or names a product by a \
         name that the tools do not use; sibling tools (`get` beside `list`) take the first place.",
    ),
    (
        "github-rest",
        "Paraphrases share few words with the summaries; what the synonyms do not bridge (\"who \
         wrote most of the code\" for contributor statistics) only meaning would.",
    ),
    (
        "github-rest easy",
        "Variants of one operation (for a user, an organisation, a repository) say nearly the \
         same; and some operations are an update of a field (\"close an issue\").",
    ),
    (
        "hub",
        "Several servers do the same things: the wanted one is not named in the query, or another \
         one uses the query's words more. Everyday speech has no word in common with the tool.",
    ),
    (
        "k8s-core",
        "The descriptions are a handful of words; verbs of HTTP in the names compete with what \
         the query means by them.",
    ),
    (
        "seal-tools",
        "Queries with several tasks at once share ten places; tools are near copies of each other.",
    ),
];

/// Measures every ranker on every query file.
pub fn measure_all(sets: &[Set], weights: &Weights) -> Vec<Rows> {
    let mut out = Vec::new();
    for set in sets {
        let ours = Ours::new(set, weights);
        let others: Vec<_> = BASELINES.iter().map(|(name, make)| (*name, make(set))).collect();
        for file in &set.files {
            let mut rankers = Vec::new();
            for (name, scores) in &others {
                let mut rank = |text: &str| best(set, &scores(text));
                rankers.push((*name, Figures::of(&file.queries, &mut rank)));
            }
            rankers.push(("ours", Figures::of(&file.queries, &mut |text| ours.rank(text))));
            let (tools, queries) = (set.tools.len(), file.queries.len());
            let notes = file.notes;
            out.push(Rows { file: file.name.clone(), tools, queries, notes, rankers });
        }
    }
    out
}

/// The figures as Markdown, a table per query file.
pub fn tables(rows: &[Rows]) -> String {
    let mut out = String::new();
    for row in rows {
        let _ = writeln!(out, "### {}: {} tools, {} queries\n", row.file, row.tools, row.queries);
        out.push_str("| ranker | nDCG@10 | Recall@1 | Recall@5 | Recall@10 | MRR |\n");
        out.push_str("|---|---|---|---|---|---|\n");
        for (name, f) in &row.rankers {
            let name = if *name == "ours" { "**ours**" } else { name };
            let _ = writeln!(
                out,
                "| {name} | {:.3} | {:.3} | {:.3} | {:.3} | {:.3} |",
                f.ndcg, f.recall_1, f.recall_5, f.recall_10, f.mrr
            );
        }
        if row.notes != Notes::default() {
            let Notes { without, strange } = row.notes;
            let _ = writeln!(
                out,
                "\n{without} queries have no relevant tool and are left out; {strange} relevant \
                 ids are no tool's."
            );
        }
        if let Some((_, note)) = NOTES.iter().find(|(file, _)| *file == row.file) {
            let _ = writeln!(out, "\nHeld back by: {note}");
        }
        out.push('\n');
    }
    out
}

/// Where a baseline is as good as we are, in nDCG@10 or Recall@5.
pub fn behind(rows: &[Rows]) -> Vec<String> {
    let mut out = Vec::new();
    for row in rows {
        let Some(((_, ours), others)) = row.rankers.split_last() else { continue };
        for (name, theirs) in others {
            if theirs.ndcg >= ours.ndcg || theirs.recall_5 >= ours.recall_5 {
                out.push(format!("{}: {name}", row.file));
            }
        }
    }
    out
}

/// `docs/ranking.md`.
pub fn page(rows: &[Rows]) -> String {
    format!("{PAGE}\n{}", tables(rows))
}

const PAGE: &str = "\
# How well search ranks

Written by `cargo xtask rank` over the dev halves of the labelled sets. The weights come from
`cargo xtask tune` (random settings, judged by leaving one query file out, then the median of the
good ones) and live in `hub-core/src/search/weights.rs`. The near table of synonyms was written
by someone who had seen dev queries, so the figures of the paraphrase files flatter it: without
any table hub has 0.639 and github-rest 0.246, and kept queries will lie between. The far table
(`synonyms/far.rs`) is followed only for words that the catalogue lacks. Its first half was
written before any query was looked at, its second half after some two dozen had been seen; list,
rule and weight were chosen among some 25 variants by these same figures, so its gain (at most
0.012, no loss over 0.001) is no evidence for other queries. The values that a parameter may have
(`enum`) are read beside its description; they change these figures by no more than noise
(hub 0.790 to 0.788, its Recall@5 0.812 to 0.825), and find what only they say. Other sets:
`cargo xtask rank --data DIR`; the queries that are not answered at the first place:
`--misses SET`.
";

/// Prints the queries of the sets called `name` that are not answered at the first place.
pub fn misses(sets: &[Set], name: &str, weights: &Weights) {
    for set in sets.iter().filter(|s| s.name == name) {
        let ours = Ours::new(set, weights);
        for query in set.files.iter().flat_map(|f| &f.queries) {
            let ranked = ours.rank(&query.text);
            let place = ranked.iter().position(|id| query.relevant.contains(id));
            if place != Some(0) {
                let at = place.map_or_else(|| "-".to_owned(), |p| (p + 1).to_string());
                println!("{at:>3}  {}\n     wanted {:?}", query.text, query.relevant);
                println!("     got    {:?}", &ranked[..ranked.len().min(4)]);
            }
        }
    }
}
