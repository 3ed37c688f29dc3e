use super::*;

/// All pieces of a stream that arrives in chunks of `size`.
fn pieces(text: &[u8], size: usize) -> (Vec<Piece>, Reader) {
    let mut reader = Reader::default();
    let pieces = text.chunks(size).flat_map(|chunk| reader.feed(chunk)).collect();
    (pieces, reader)
}

fn event(kind: &str, data: &str, id: Option<&str>) -> Piece {
    Piece::Event(Event { kind: kind.to_owned(), data: data.to_owned(), id: id.map(str::to_owned) })
}

#[test]
fn chunks_of_any_size_give_the_same_events() {
    let long = "añ😀漢".repeat(12_000);
    let text = format!(
        "\u{feff}: hello\n\nid: e1\nretry: 500\ndata: \n\nevent: endpoint\r\ndata: /m\r\n\r\n\
         data:a\rdata: b\r\revent: message\ndata: {long}\n\nunknown: x\ndata\n\ndata: cut off"
    );
    let expected = [
        event("", "", Some("e1")),
        event("endpoint", "/m", Some("e1")),
        event("", "a\nb", Some("e1")),
        event("", &long, Some("e1")),
        event("", "", Some("e1")),
    ];
    for size in [1, 2, 7, 4_096, 65_536, text.len()] {
        let (pieces, reader) = pieces(text.as_bytes(), size);
        assert_eq!(pieces, expected, "by {size}");
        assert_eq!(reader.retry_ms, Some(500));
    }
}

#[test]
fn an_event_over_the_limit_costs_only_itself() {
    let over = format!("{{\"id\":5,\"r\":\"{}\"}}", "x".repeat(SOURCE_MESSAGE_BYTES));
    let text = format!("data: {over}\n\ndata: next\n\n");
    let (pieces, _) = pieces(text.as_bytes(), 1 << 16);
    assert!(matches!(pieces[0], Piece::TooLong { id: Some(5), bytes } if bytes > over.len()));
    assert_eq!(pieces[1..], [event("", "next", None)]);
}
