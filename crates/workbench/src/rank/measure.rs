//! Figures of a ranking: binary relevance, mean over queries.

use super::sets::Labelled;

/// How many are looked at for the reciprocal rank.
pub const DEPTH: usize = 100;

/// Means over queries.
#[derive(Clone, Copy, Debug, Default)]
pub struct Figures {
    pub ndcg: f64,
    pub recall_1: f64,
    pub recall_5: f64,
    pub recall_10: f64,
    pub mrr: f64,
}

impl Figures {
    /// Means over `queries`, each ranked by `rank` (tool ids, best first).
    pub fn of(queries: &[Labelled], rank: &mut dyn FnMut(&str) -> Vec<String>) -> Self {
        let mut sum = Self::default();
        for query in queries {
            let one = Self::one(&rank(&query.text), &query.relevant);
            sum.ndcg += one.ndcg;
            sum.recall_1 += one.recall_1;
            sum.recall_5 += one.recall_5;
            sum.recall_10 += one.recall_10;
            sum.mrr += one.mrr;
        }
        let n = queries.len().max(1) as f64;
        Self {
            ndcg: sum.ndcg / n,
            recall_1: sum.recall_1 / n,
            recall_5: sum.recall_5 / n,
            recall_10: sum.recall_10 / n,
            mrr: sum.mrr / n,
        }
    }

    /// Figures of one ranking.
    pub fn one(ranked: &[String], relevant: &[String]) -> Self {
        let hit = |id: &String| relevant.contains(id);
        let gain = |place: usize| 1.0 / (place as f64 + 2.0).log2();
        let best: f64 = (0..relevant.len().min(10)).map(gain).sum();
        let got: f64 = ranked
            .iter()
            .take(10)
            .enumerate()
            .filter(|(_, id)| hit(id))
            .map(|(i, _)| gain(i))
            .sum();
        let recall = |k: usize| {
            ranked.iter().take(k).filter(|id| hit(id)).count() as f64 / relevant.len().max(1) as f64
        };
        Self {
            ndcg: if best > 0.0 { got / best } else { 0.0 },
            recall_1: recall(1),
            recall_5: recall(5),
            recall_10: recall(10),
            mrr: ranked
                .iter()
                .take(DEPTH)
                .position(hit)
                .map_or(0.0, |place| 1.0 / (place as f64 + 1.0)),
        }
    }
}
