//! Attacks on the eye and on the terminal.

use super::*;
use proptest::prelude::*;

fn shown(text: &str) -> String {
    quote(text, 1_000)
}

#[test]
fn what_acts_on_a_terminal_is_spelled_out() {
    for c in (0..0x20).chain(0x7f..0xa0).filter_map(char::from_u32) {
        let text = shown(&format!("a{c}b"));
        assert!(text.is_ascii() && !text.contains(char::is_control), "{c:?}: {text}");
    }
    assert_eq!(shown("\u{1b}[2Jx\u{9b}31m\u{7}"), r#""\u{1b}[2Jx\u{9b}31m\u{7}""#);
    assert_eq!(shown("a\r\nb\tc"), r#""a\r\nb\tc""#);
}

#[test]
fn what_hides_or_turns_is_spelled_out() {
    let hidden = "\u{202e}\u{202a}\u{2066}\u{2069}\u{200e}\u{200f}\u{61c}\u{200b}\u{200c}\u{200d}\
        \u{feff}\u{2060}\u{ad}\u{34f}\u{180e}\u{115f}\u{3164}\u{ffa0}\u{fe0f}\u{e0041}\u{e0100}\
        \u{2028}\u{2029}\u{a0}\u{2003}\u{3000}\u{2800}\u{fff9}\u{e000}\u{f0000}\u{378}\u{fffe}";
    for c in hidden.chars() {
        for text in [format!("a{c}b"), format!("{c}"), format!(" {c} "), format!("я{c}я")] {
            let text = shown(&text);
            assert!(text.contains("\\u{"), "{:x}: {text}", u32::from(c));
            assert!(!text.contains(c));
        }
    }
    assert_eq!(shown("invoice\u{202e}gpj.exe"), r#""invoice\u{202e}gpj.exe""#);
}

#[test]
fn look_alikes_are_spelled_out_where_they_deceive() {
    let table = [
        ("p\u{430}ypal.com", r#""p\u{430}ypal.com""#),
        (
            "https://\u{430}\u{440}\u{440}\u{4cf}\u{435}.com/",
            r#""https://\u{430}\u{440}\u{440}\u{4cf}\u{435}.com/""#,
        ),
        ("me@\u{435}x\u{430}mple.org", r#""me@\u{435}x\u{430}mple.org""#),
        ("\u{ff47}ithub", r#""\u{ff47}ithub""#),
        ("\u{1d41a}dmin", r#""\u{1d41a}dmin""#),
        ("a\u{2215}b", r#""a\u{2215}b""#),
        ("d\u{131}sk", r#""d\u{131}sk""#),
        ("evil.com\u{3002}x", r#""evil.com\u{3002}x""#),
    ];
    for (text, expected) in table {
        assert_eq!(shown(text), expected);
    }
}

#[test]
fn other_peoples_writing_stays_readable() {
    let rows = [
        "Zażółć gęślą jaźń, naïve café, Straße",
        "Привет, мир! Как дела?",
        "Γειά σου Κόσμε",
        "你好，世界。日本語テキスト",
        "안녕하세요 세계",
        "नमस्ते दुनिया",
        "שלום עולם",
        "مرحبا بالعالم",
        "สวัสดีชาวโลก",
        "e\u{301}tude",
        "party 🎉 👍",
        "5 € – 10 % … “quoted”",
    ];
    for text in rows {
        assert!(!shown(text).contains("\\u{"), "{text}: {}", shown(text));
    }
    // Marks piled up on one letter are not drawn.
    let pile = format!("a{}", "\u{301}".repeat(9));
    assert_eq!(shown(&pile).matches("\\u{301}").count(), 7);
    assert!(shown("\u{301}a").contains("\\u{301}"));
}

#[test]
fn names_deceive_no_better_than_values() {
    let shown = page(json!({ "to\u{202e}": 1, "a\nb": 2, "p\u{430}ss": 3, "": 4, "a.b": 5 }));
    assert!(!shown.text.contains('\u{202e}') && !shown.text.contains('\u{430}'));
    assert_eq!(shown.text.lines().count(), 5);
    assert!(shown.text.contains("\"a\\nb\": 2") && shown.text.contains("\"a.b\": 5"));
}

fn any_text() -> impl Strategy<Value = String> {
    let odd = prop::sample::select(vec![
        '\u{1b}', '\u{202e}', '\u{200b}', '\n', '"', '\\', '\u{9b}', '\u{430}', '\u{301}', 'a', ' ',
    ]);
    prop::collection::vec(prop_oneof![any::<char>(), odd], 0..60)
        .prop_map(|chars| chars.into_iter().collect())
}

proptest! {
    #[test]
    fn nothing_shown_acts_or_hides(name in any_text(), value in any_text(), max in 1usize..80) {
        let limits = Limits { string_chars: max, total_chars: 200, lines: true };
        let shown = preview(&json!({ name: [value.clone()] }), limits);
        for text in [shown.text, quote(&value, max)] {
            for c in text.chars().filter(|c| *c != '\n') {
                prop_assert!(!c.is_control(), "{:?}", c);
                let hides = matches!(c, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}');
                prop_assert!(!hides, "{:?}", c);
            }
        }
    }

    #[test]
    fn different_texts_are_shown_differently(a in any_text(), b in any_text()) {
        prop_assert_eq!(a == b, quote(&a, 1_000) == quote(&b, 1_000));
    }

    #[test]
    fn hidden_values_never_appear(secret in "[A-Z]{3}[0-9]{5}", key in "(api_key|x-token)") {
        let text = format!("a {key}={secret} b");
        let arguments = json!({ key: secret.clone(), "other": text, "n": [{ "password": secret.clone() }] });
        for limits in [Limits::LINE, Limits::FORM, Limits::PAGE] {
            let shown = preview(&arguments, limits);
            prop_assert!(!shown.text.contains(&secret), "{}", shown.text);
            prop_assert_eq!(shown.masked.len(), 3);
        }
    }
}
