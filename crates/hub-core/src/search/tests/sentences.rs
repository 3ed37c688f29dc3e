//! What a listing shows of a description.

use crate::search::first_sentence;

#[test]
fn the_first_sentence_in_one_line() {
    for (text, wanted) in [
        ("Lists files.\nMore follows.", "Lists files."),
        ("  Lists\n  files  of a folder", "Lists files of a folder"),
        ("Title\n\nThe body is here.", "Title"),
        ("Arguments:\n- one\n- two", "Arguments:"),
        ("Formats, e.g. PNG, are kept. Others not.", "Formats, e.g. PNG, are kept."),
        ("Version 2.0 of it. Next.", "Version 2.0 of it."),
        ("Really? Yes.", "Really?"),
        ("查询订单。返回状态。", "查询订单。"),
        ("No end", "No end"),
        ("", ""),
        ("\u{0}\u{7}bell\u{1b}[31m", "bell[31m"),
        ("...", "..."),
    ] {
        assert_eq!(first_sentence(text), wanted, "{text:?}");
    }
}

#[test]
fn a_long_sentence_is_cut_at_a_word() {
    let edge = "a".repeat(160);
    assert_eq!(first_sentence(&edge), edge);
    let over = first_sentence(&"word ".repeat(60));
    assert!(over.chars().count() <= 160 && over.ends_with("word…"), "{over}");
    let solid = first_sentence(&"é".repeat(400));
    assert_eq!((solid.chars().count(), solid.ends_with('…')), (160, true));
}
