//! Finds weights on the dev queries: random settings, judged by cross-validation over sets.
//!
//! Weights hardly carry over from set to set, so the winner on the sets together is mostly the
//! winner of a lottery. Hence a consensus: for every weight the median over the best tenth of all
//! settings, each set counted the same however far apart its figures lie.

use super::knobs::{KNOBS, set};
use super::measure::Figures;
use super::ours::Ours;
use super::sets::Set;
use hub_core::search::Weights;
use std::fmt::Write;

/// Share of the settings that count as good ones.
const GOOD: usize = 10;

/// A setting and what it reached per query file.
struct Trial {
    weights: Weights,
    reached: Vec<f64>,
}

/// Tries `tries` random settings around the present ones and says what they agree on.
pub fn tune(sets: &[Set], tries: usize, fixed: &[String]) -> Result<String, String> {
    let mut base = Weights::default();
    set(&mut base, fixed)?;
    let mut dice = Dice(0x9e37_79b9_7f4a_7c15);
    let mut trials = vec![Trial { reached: reach(sets, &base), weights: base.clone() }];
    for _ in 0..tries {
        let mut weights = base.clone();
        for knob in KNOBS {
            // Half of the weights stay, so that a setting differs from the present one in some.
            if dice.below(2) == 0 && !fixed.iter().any(|f| f.starts_with(knob.name)) {
                *(knob.at)(&mut weights) = knob.tried[dice.below(knob.tried.len())];
            }
        }
        trials.push(Trial { reached: reach(sets, &weights), weights });
    }
    let files: Vec<&str> = sets.iter().flat_map(|s| &s.files).map(|f| f.name.as_str()).collect();
    let mut out = String::new();
    let _ = writeln!(out, "left out: present / median setting / consensus of the others");
    for (at, file) in files.iter().enumerate() {
        let others: Vec<usize> = (0..files.len()).filter(|i| *i != at).collect();
        let agreed = consensus(&trials, &others);
        let mut all: Vec<f64> = trials.iter().map(|t| t.reached[at]).collect();
        all.sort_by(f64::total_cmp);
        let _ = writeln!(
            out,
            "  {file}: {:.3} / {:.3} / {:.3}",
            trials[0].reached[at],
            all[all.len() / 2],
            reach(sets, &agreed)[at]
        );
    }
    let mut agreed = consensus(&trials, &(0..files.len()).collect::<Vec<_>>());
    let reached = reach(sets, &agreed);
    let _ = writeln!(out, "consensus of all: {reached:.3?}\npresent: {:.3?}", trials[0].reached);
    for knob in KNOBS {
        let mut before = base.clone();
        let (was, is) = (*(knob.at)(&mut before), *(knob.at)(&mut agreed));
        let _ = writeln!(out, "  {:24}{was:>6} {is:>6}", knob.name);
    }
    Ok(out)
}

/// The median of every weight over the settings that do best on `files`.
fn consensus(trials: &[Trial], files: &[usize]) -> Weights {
    let mut judged: Vec<(f64, &Trial)> = trials.iter().map(|t| (0.0, t)).collect();
    for &file in files {
        let n = trials.len() as f64;
        let mean = trials.iter().map(|t| t.reached[file]).sum::<f64>() / n;
        let spread =
            (trials.iter().map(|t| (t.reached[file] - mean).powi(2)).sum::<f64>() / n).sqrt();
        for (sum, trial) in &mut judged {
            *sum += (trial.reached[file] - mean) / spread.max(1e-9);
        }
    }
    judged.sort_by(|a, b| b.0.total_cmp(&a.0));
    judged.truncate((trials.len() / GOOD).max(1));
    let mut out = judged[0].1.weights.clone();
    for knob in KNOBS {
        let read = |(_, trial): &(f64, &Trial)| *(knob.at)(&mut trial.weights.clone());
        let mut values: Vec<f32> = judged.iter().map(read).collect();
        values.sort_by(f32::total_cmp);
        *(knob.at)(&mut out) = values[values.len() / 2];
    }
    out
}

/// nDCG@10 per query file.
fn reach(sets: &[Set], weights: &Weights) -> Vec<f64> {
    let mut out = Vec::new();
    for set in sets {
        let ours = Ours::new(set, weights);
        for file in &set.files {
            out.push(Figures::of(&file.queries, &mut |text| ours.rank(text)).ndcg);
        }
    }
    out
}

/// A fixed sequence of throws (splitmix64): the same settings on every machine.
struct Dice(u64);

impl Dice {
    fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) % n as u64) as usize
    }
}
