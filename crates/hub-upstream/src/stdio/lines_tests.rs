use super::*;
use tokio::io::AsyncWriteExt;

const LIMIT: usize = 100_000;

/// Everything `Lines` makes of `text` when it is written in pieces of `size`.
async fn lines(text: Vec<u8>, size: usize) -> Vec<Line> {
    let (mut write, read) = tokio::io::duplex(4_096);
    let writing = tokio::spawn(async move {
        for chunk in text.chunks(size) {
            write.write_all(chunk).await.unwrap();
        }
    });
    let mut lines = Lines::new(read, LIMIT);
    let mut all = Vec::new();
    while let Some(line) = lines.next().await {
        all.push(line);
    }
    writing.await.unwrap();
    all
}

#[tokio::test]
async fn pieces_of_any_size_give_the_same_text() {
    let text = "añ😀漢".repeat(9_000);
    let wire = format!("{text}\r\n\nlast");
    let expected = [text, String::new(), "last".to_owned()].map(Line::Text);
    for size in [1, 7, 4_096, 65_536] {
        assert_eq!(lines(wire.clone().into_bytes(), size).await, expected, "by {size}");
    }
}

#[tokio::test]
async fn a_line_over_the_limit_costs_only_itself() {
    let fits = format!("{{\"id\":1,\"r\":\"{}\"}}", "x".repeat(LIMIT - 15));
    assert_eq!(fits.len(), LIMIT);
    for pad in [1, 300_000] {
        let over = format!("{{\"id\":2,\"r\":\"{}\"}}", "x".repeat(LIMIT - 15 + pad));
        let bytes = over.len();
        for size in [977, 1 << 20] {
            let wire = format!("{fits}\n{over}\n{fits}\n{over}").into_bytes();
            let long = || Line::TooLong { id: Some(2), bytes };
            let text = || Line::Text(fits.clone());
            assert_eq!(lines(wire, size).await, [text(), long(), text(), long()]);
        }
    }
}

#[tokio::test]
async fn bytes_that_are_no_text_do_no_harm() {
    assert_eq!(
        lines(b"\xff\xfe\n\0\n".to_vec(), 1).await,
        ["\u{fffd}\u{fffd}", "\0"].map(|t| Line::Text(t.to_owned()))
    );
}
