use super::*;

#[test]
fn longer_secrets_go_first_and_short_ones_spare_values() {
    let secrets = ["abc", "abcdef", "abcdef-0123456789"].map(Secret::new);
    let scrub = Scrub::new(secrets.to_vec());
    assert_eq!(scrub.words("x abcdef-0123456789 abcdef abc"), "x [secret] [secret] abc");
    assert_eq!(scrub.value("abcdef-0123456789 abcdef"), "[secret] abcdef");
    assert_eq!(Scrub::default().words("abc"), "abc");
}

#[test]
fn escaped_forms_are_found_too() {
    let secret = "p\"a\\ss/wörd&0123";
    let scrub = Scrub::new(vec![Secret::new(secret)]);
    let echoed = serde_json::json!({"got": secret}).to_string();
    assert_eq!(scrub.value(&echoed), "{\"got\":\"[secret]\"}");
    let url = url::Url::parse_with_params("http://x/", [("k", secret)]).unwrap();
    assert_eq!(scrub.words(url.as_str()), "http://x/?k=[secret]");
    assert_eq!(scrub.words(secret), "[secret]");
}
