//! What the gate shows.

use super::terminal::visible;

#[test]
fn nothing_foreign_acts_on_the_terminal() {
    assert_eq!(visible("a\x1b[2Jb\u{202e}c"), "a\\u{1b}[2Jb\\u{202e}c");
}
