use super::*;

#[test]
fn sentences() {
    assert_eq!(first_sentence("Lists files.\nMore."), "Lists files.");
}
