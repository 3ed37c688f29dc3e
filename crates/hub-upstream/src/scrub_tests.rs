use super::*;

#[test]
fn longer_secrets_go_first_and_short_ones_spare_values() {
    let secrets = ["abc", "abcdef", "abcdef-0123456789"].map(Secret::new);
    let scrub = Scrub::new(secrets.to_vec());
    assert_eq!(scrub.words("x abcdef-0123456789 abcdef abc"), "x [secret] [secret] abc");
    assert_eq!(scrub.value("abcdef-0123456789 abcdef"), "[secret] abcdef");
    assert_eq!(Scrub::default().words("abc"), "abc");
}
