//! Words on their way.

use super::wire::*;
use proptest::prelude::*;

fn message(kind: u32, n: u32, about: &str, text: &str) -> Vec<u8> {
    let mut bytes = head(kind, n, about.len(), text.len()).to_vec();
    bytes.extend_from_slice(about.as_bytes());
    bytes.extend_from_slice(text.as_bytes());
    bytes
}

proptest! {
    #[test]
    fn messages_arrive_whole_however_they_are_cut(
        texts in proptest::collection::vec((1u32..16, any::<u32>(), ".{0,20}", ".{0,300}"), 1..8),
        cut in 1usize..97,
    ) {
        let all: Vec<u8> = texts.iter().flat_map(|(k, n, a, t)| message(*k, *n, a, t)).collect();
        let mut inbox = Inbox::default();
        let mut got = Vec::new();
        for part in all.chunks(cut) {
            inbox.room().extend_from_slice(part);
            while let Some(m) = inbox.message().unwrap() {
                got.push((m.kind, m.n, m.head.to_owned(), m.body.to_owned()));
            }
        }
        prop_assert_eq!(got, texts);
    }

    #[test]
    fn bytes_of_any_kind_never_panic(bytes in proptest::collection::vec(any::<u8>(), 0..400)) {
        let mut inbox = Inbox::default();
        inbox.room().extend_from_slice(&bytes);
        for _ in 0..=bytes.len() {
            if !matches!(inbox.message(), Ok(Some(_))) {
                break;
            }
        }
    }
}

#[test]
fn what_announces_too_much_is_broken_at_once() {
    for (kind, size) in [(3, MESSAGE_BYTES + 1), (9, SMALL_BYTES + 1), (0, 1), (16, 1), (99, 1)] {
        let mut inbox = Inbox::default();
        inbox.room().extend_from_slice(&head(kind, 0, 0, size));
        assert_eq!(inbox.message(), Err(broken()), "kind {kind}");
    }
    for (kind, size) in [(3, MESSAGE_BYTES), (9, SMALL_BYTES)] {
        let mut inbox = Inbox::default();
        inbox.room().extend_from_slice(&head(kind, 0, 0, size));
        assert_eq!(inbox.message(), Ok(None), "kind {kind}");
    }
}

#[test]
fn what_is_no_text_is_broken() {
    let mut inbox = Inbox::default();
    inbox.room().extend_from_slice(&head(1, 0, 0, 1));
    inbox.room().push(0xff);
    assert_eq!(inbox.message(), Err(broken()));
    // A character that lies across the border of head and body is none in either.
    let mut inbox = Inbox::default();
    inbox.room().extend_from_slice(&head(3, 0, 1, 1));
    inbox.room().extend_from_slice("é".as_bytes());
    assert_eq!(inbox.message(), Err(broken()));
}
