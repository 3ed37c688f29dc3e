//! Counts against known figures, bounds, and the tokenizer's life.

use super::*;
use hub_core::ports::TokenCount;
use std::time::Duration;

#[test]
fn counts_are_those_of_o200k() {
    let tokens = Tokens::new();
    assert_eq!(tokens.count(""), 0);
    assert_eq!(tokens.count("hello world"), 2);
    assert_eq!(tokens.count("<|endoftext|>"), 7, "special tokens are plain text");
}

#[test]
fn beyond_the_cap_is_estimated() {
    let tokens = Tokens::new();
    let line = "one two three four\n";
    let text = line.repeat(COUNTED_BYTES / line.len() * 3);
    let per_line = tokens.count(line);
    let exact = per_line * (text.len() / line.len());
    let counted = tokens.count(&text);
    assert!(counted.abs_diff(exact) * 100 <= exact, "{counted} is not near {exact}");
}

#[test]
fn unbroken_runs_are_cut_and_still_counted() {
    let tokens = Tokens::new();
    let text = "a".repeat(100_000);
    let counted = tokens.count(&text);
    assert!((12_000..=13_500).contains(&counted), "{counted}");
    let wide = "語".repeat(UNBROKEN_BYTES);
    assert!(tokens.count(&wide) > 1_000);
}

#[test]
fn the_tokenizer_leaves_when_idle() {
    let tokens = Tokens::with_idle(Duration::ZERO);
    assert!(!tokens.is_loaded(), "nothing is loaded before the first count");
    assert_eq!(tokens.count("hello world"), 2);
    tokens.wait_until_dropped();
    assert!(!tokens.is_loaded());
    assert_eq!(tokens.count("hello world"), 2, "it comes back");
}

#[test]
fn clones_share_one_tokenizer() {
    let tokens = Tokens::with_idle(Duration::from_secs(3600));
    tokens.clone().count("x");
    assert!(tokens.is_loaded());
}
