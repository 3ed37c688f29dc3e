//! JSON text on its way in, and text on its way out.

/// Levels of JSON given to the guest.
pub const DEPTH_IN: usize = 128;
/// The largest integer that a JavaScript number holds exactly with its neighbours.
const EXACT: &[u8] = b"9007199254740991";

/// JSON text made ready for the engine's parser: ends in NUL, integers that a number would round
/// are texts. Also says whether there were such integers.
pub fn incoming(json: &[u8]) -> Result<(Vec<u8>, bool), &'static str> {
    let mut out = Vec::with_capacity(json.len() + 1);
    let (mut depth, mut i, mut widened) = (0usize, 0, false);
    while i < json.len() {
        let from = i;
        match json[i] {
            b'"' => i = string_end(json, i),
            b'[' | b'{' => {
                depth += 1;
                if depth > DEPTH_IN {
                    return Err("the answer is nested more than 128 levels deep");
                }
                i += 1;
            }
            b']' | b'}' => {
                depth = depth.saturating_sub(1);
                i += 1;
            }
            b'-' | b'0'..=b'9' => {
                while i < json.len()
                    && matches!(json[i], b'0'..=b'9' | b'+' | b'-' | b'.' | b'e' | b'E')
                {
                    i += 1;
                }
                if rounds(&json[from..i]) && !is_key(&json[i..]) {
                    out.push(b'"');
                    out.extend_from_slice(&json[from..i]);
                    out.push(b'"');
                    widened = true;
                    continue;
                }
            }
            _ => i += 1,
        }
        out.extend_from_slice(&json[from..i]);
    }
    out.push(0);
    Ok((out, widened))
}

fn string_end(json: &[u8], start: usize) -> usize {
    let mut i = start + 1;
    while i < json.len() {
        match json[i] {
            b'\\' => i += 2,
            b'"' => return i + 1,
            _ => i += 1,
        }
    }
    json.len()
}

/// Whether what stands before `rest` would be a key. A number there is no JSON, and must not become
/// any.
fn is_key(rest: &[u8]) -> bool {
    rest.trim_ascii_start().starts_with(b":")
}

fn rounds(number: &[u8]) -> bool {
    let digits = number.strip_prefix(b"-").unwrap_or(number);
    // With a zero before it it is no JSON, and must not become any.
    !digits.starts_with(b"0")
        && digits.iter().all(u8::is_ascii_digit)
        && (digits.len() > EXACT.len() || (digits.len() == EXACT.len() && digits > EXACT))
}

/// Bytes of a string as the engine hands them out (UTF-8, with halves of surrogate pairs encoded
/// like characters) as real UTF-8. Says whether halves were replaced.
pub fn well_formed(bytes: &[u8]) -> (std::borrow::Cow<'_, [u8]>, bool) {
    if std::str::from_utf8(bytes).is_ok() {
        return (bytes.into(), false);
    }
    let mut out = Vec::with_capacity(bytes.len());
    let mut i = 0;
    while i < bytes.len() {
        if bytes[i] == 0xed && bytes.get(i + 1).is_some_and(|b| *b >= 0xa0) {
            out.extend_from_slice("\u{fffd}".as_bytes());
            i += 3;
        } else {
            out.push(bytes[i]);
            i += 1;
        }
    }
    (out.into(), true)
}

/// Appends the JSON text of a string that is well formed.
pub fn quote(bytes: &[u8], mut push: impl FnMut(&[u8])) {
    push(b"\"");
    let mut from = 0;
    for (i, byte) in bytes.iter().enumerate() {
        let escaped: &[u8] = match byte {
            b'"' => b"\\\"",
            b'\\' => b"\\\\",
            b'\n' => b"\\n",
            b'\r' => b"\\r",
            b'\t' => b"\\t",
            0x08 => b"\\b",
            0x0c => b"\\f",
            0..=0x1f => b"",
            _ => continue,
        };
        push(&bytes[from..i]);
        if escaped.is_empty() {
            push(format!("\\u{byte:04x}").as_bytes());
        } else {
            push(escaped);
        }
        from = i + 1;
    }
    push(&bytes[from..]);
    push(b"\"");
}
