//! Media in what a program returns: a model reads no base64, so its place is taken by what it was.
//! The program itself has the bytes; only the answer has not. Works on text, since a result over
//! its limit is no whole JSON any more.

use hub_core::limits;

/// What stands before the bytes of an image, a sound or a file.
const KEYS: [&str; 2] = ["\"data", "\"blob"];
/// Between a key and its text.
const COLON: &str = "\":\"";

/// `json` with the bytes of media replaced, and how many pieces were.
pub(crate) fn described(json: &str) -> (String, usize) {
    let (mut out, mut rest, mut count) = (String::with_capacity(json.len().min(1 << 16)), json, 0);
    while let Some(at) = rest.find(COLON) {
        let (before, after) = rest.split_at(at + COLON.len());
        out.push_str(before);
        if !KEYS.iter().any(|key| rest[..at].ends_with(key)) {
            rest = after;
            continue;
        }
        let bytes = after.bytes().take_while(|b| is_base64(*b)).count();
        // Nothing but base64, up to the closing quote or to where the text was cut.
        let whole = matches!(after.as_bytes().get(bytes), None | Some(b'"'));
        if whole && bytes > limits::MEDIA_SHOWN_CHARS && names_its_kind(&out) {
            out.push_str(&format!("[base64, {bytes} characters, left out of the answer]"));
            count += 1;
        } else {
            out.push_str(&after[..bytes]);
        }
        rest = &after[bytes..];
    }
    out.push_str(rest);
    (out, count)
}

/// Whether the object that is being written has said what kind of media it holds.
fn names_its_kind(before: &str) -> bool {
    let from = before.rfind('{').unwrap_or(0);
    before[from..].contains("\"mimeType\":\"")
}

fn is_base64(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"+/=-_".contains(&byte)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    fn of(value: &Value) -> (Value, usize) {
        let (text, count) = described(&value.to_string());
        (serde_json::from_str(&text).expect("JSON stays JSON"), count)
    }

    #[test]
    fn long_media_are_described_and_everything_else_stays() {
        let long = "QUJD".repeat(limits::MEDIA_SHOWN_CHARS);
        let most = "A".repeat(limits::MEDIA_SHOWN_CHARS);
        let left_out = format!("[base64, {} characters, left out of the answer]", long.len());
        let image = |data: &str| json!({"type": "image", "mimeType": "image/png", "data": data});
        let file = json!({"type": "resource", "uri": "x://b", "mimeType": "a/b", "blob": long});
        let mut file_shown = file.clone();
        file_shown["blob"] = json!(left_out);
        for (value, shown, count) in [
            (json!(["chart", image(&long), 7]), json!(["chart", image(&left_out), 7]), 1),
            (
                json!({"a": image(&long), "b": [file]}),
                json!({"a": image(&left_out), "b": [file_shown]}),
                2,
            ),
            (image(&most), image(&most), 0),
            (json!({"data": long}), json!({"data": long}), 0),
            (
                json!({"mimeType": "text/plain", "text": long}),
                json!({"mimeType": "text/plain", "text": long}),
                0,
            ),
            (image(&format!("{long} and words")), image(&format!("{long} and words")), 0),
            (json!("\"data\":\""), json!("\"data\":\""), 0),
        ] {
            assert_eq!(of(&value), (shown, count));
        }
    }

    #[test]
    fn a_result_that_was_cut_inside_its_media_is_short() {
        let long = "QUJD".repeat(20_000);
        let whole = json!(["chart", {"type": "image", "mimeType": "image/png", "data": long}]);
        let whole = whole.to_string();
        let (shown, count) = described(&whole[..limits::RESULT_BYTES]);
        assert!(shown.len() < 200 && shown.contains("image/png"), "{shown}");
        assert_eq!(count, 1);
    }
}
