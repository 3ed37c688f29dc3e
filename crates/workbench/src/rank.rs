//! `rank`: how good the search is, beside simpler rankers. `tune`: where its weights come from.
//! `growth`: how its speed and memory grow with the catalogue.
//!
//! May change here: what is measured and how it is shown. The baselines are written from their
//! description alone and stay as simple as they are, else they are no baselines.

mod baselines;
mod growth;
mod knobs;
mod measure;
mod ours;
mod plot;
mod report;
mod sets;
#[cfg(test)]
mod tests;
mod tune;

use hub_core::search::Weights;
use std::path::{Path, PathBuf};
use xtask::Failure;

/// Settings that `tune` tries unless `--tries` says otherwise.
const TRIES: usize = 200;

/// `rank [--data DIR] [--misses SET] [weight=value …]`: measures every set beside the baselines.
/// With the default sets and weights it writes `docs/ranking.md`. Fails where a baseline is not
/// behind us.
pub fn run(args: &[String]) -> Result<(), Failure> {
    let elsewhere = option(args, "--data").map(PathBuf::from);
    let sets = sets::load(&elsewhere.clone().map_or_else(data, Ok)?)?;
    let settings = settings(args);
    let mut weights = Weights::default();
    knobs::set(&mut weights, &settings)?;
    if let Some(name) = option(args, "--misses") {
        report::misses(&sets, &name, &weights);
        return Ok(());
    }
    let rows = report::measure_all(&sets, &weights);
    println!("{}", report::tables(&rows));
    if elsewhere.is_none() && settings.is_empty() {
        write("ranking.md", &report::page(&rows))?;
    }
    match report::behind(&rows) {
        behind if behind.is_empty() => Ok(()),
        behind => Err(format!("not ahead of {}", behind.join(", ")).into()),
    }
}

/// `tune [--data DIR] [--tries N] [weight=value …]`: what weights the dev queries agree on.
pub fn tune(args: &[String]) -> Result<(), Failure> {
    let tries = option(args, "--tries").map_or(Ok(TRIES), |n| n.parse());
    let tries = tries.map_err(|e| format!("--tries: {e}"))?;
    let folder = option(args, "--data").map(PathBuf::from).map_or_else(data, Ok)?;
    println!("{}", tune::tune(&sets::load(&folder)?, tries, &settings(args))?);
    Ok(())
}

/// `growth [--data DIR]`: speed and memory from 1,000 to 100,000 tools; writes the plot and its
/// figures to `docs/`. Only an optimised build gives figures worth writing.
pub fn growth(args: &[String]) -> Result<(), Failure> {
    let folder = option(args, "--data").map(PathBuf::from).map_or_else(data, Ok)?;
    let points = growth::measure(&sets::load(&folder)?);
    println!("{}", growth::table(&points));
    if cfg!(debug_assertions) {
        return Err("not optimised, so nothing was written: cargo xtask growth".into());
    }
    write("search-growth.md", &growth::page(&points))?;
    write("search-growth.svg", &plot::svg(&points))?;
    Ok(())
}

/// The workspace's root.
fn root() -> &'static Path {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.ancestors().nth(2).unwrap_or(here)
}

/// Where the labelled queries lie: in the folder shared with the project, above its root.
fn data() -> Result<PathBuf, Failure> {
    let found = root().ancestors().map(|a| a.join("shared/ranking")).find(|f| f.is_dir());
    found.ok_or_else(|| "no shared/ranking above the project: say --data DIR".into())
}

/// The arguments of the form `weight=value`.
fn settings(args: &[String]) -> Vec<String> {
    args.iter().filter(|a| a.contains('=') && !a.starts_with('-')).cloned().collect()
}

/// The value behind `name`, as `--name value` or `--name=value`.
fn option(args: &[String], name: &str) -> Option<String> {
    let mut args = args.iter();
    while let Some(arg) = args.next() {
        match arg.strip_prefix(name) {
            Some("") => return args.next().cloned(),
            Some(rest) if rest.starts_with('=') => return Some(rest[1..].to_owned()),
            _ => {}
        }
    }
    None
}

/// Writes a file of `docs/`.
fn write(name: &str, text: &str) -> Result<(), Failure> {
    let folder = root().join("docs");
    std::fs::create_dir_all(&folder)?;
    Ok(std::fs::write(folder.join(name), text)?)
}
