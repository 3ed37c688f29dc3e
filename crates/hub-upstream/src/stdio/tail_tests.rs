use super::*;
use hub_core::connection::Secret;

#[test]
fn the_last_bytes_are_kept_and_no_more() {
    let tail = Tail::default();
    tail.push(&[b'a'; STDERR_KEPT_BYTES]);
    assert_eq!(tail.text().len(), STDERR_KEPT_BYTES);
    tail.push(b"end");
    let text = tail.text();
    assert_eq!(text.len(), STDERR_KEPT_BYTES);
    assert!(text.starts_with('a') && text.ends_with("aend"));
    tail.push(&[b'b'; STDERR_KEPT_BYTES + 1]);
    assert_eq!(tail.text(), "b".repeat(STDERR_KEPT_BYTES));
}

#[test]
fn what_is_shown_holds_no_secret_and_no_broken_character() {
    let tail = Tail::default();
    tail.hide(Scrub::new(vec![Secret::new("hunter2")]));
    tail.push("password hunter2 é\n\n".as_bytes());
    assert_eq!(tail.text(), "password [secret] é\n\n");
    assert_eq!(tail.last(3), "] é");
}
