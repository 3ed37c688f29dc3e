//! Plain HTTP/1.1, so that nothing between the test and the hub repairs a request.

use std::io::{Read, Write};
use std::process::{Command, Stdio};

/// What came back.
#[derive(Debug)]
pub struct Answer {
    /// The status.
    pub status: u16,
    /// Status line and headers.
    pub head: String,
    /// Body, joined where it came in chunks.
    pub body: String,
}

/// Sends one request and reads to the end of the connection. Another process speaks: whoever
/// speaks with a key is a client of the hub, and below a client nothing widens rights.
pub fn http(port: u16, method: &str, path: &str, headers: &[(&str, &str)], body: &str) -> Answer {
    let mut head = format!("{method} {path} HTTP/1.1\r\nconnection: close\r\n");
    if !headers.iter().any(|(name, _)| name.eq_ignore_ascii_case("host")) {
        head.push_str(&format!("host: 127.0.0.1:{port}\r\n"));
    }
    if !headers.iter().any(|(name, _)| name.eq_ignore_ascii_case("content-length")) {
        head.push_str(&format!("content-length: {}\r\n", body.len()));
    }
    for (name, value) in headers {
        head.push_str(&format!("{name}: {value}\r\n"));
    }
    let mut speaker = Command::new("bash")
        .args(["-c", SPEAKER, &port.to_string()])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let whole = format!("{head}\r\n{body}");
    let mut to = speaker.stdin.take().unwrap();
    // The hub may refuse before it has read everything.
    let written = std::thread::spawn(move || drop(to.write_all(whole.as_bytes())));
    let mut bytes = Vec::new();
    speaker.stdout.take().unwrap().read_to_end(&mut bytes).unwrap();
    speaker.wait().unwrap();
    written.join().unwrap();
    let text = String::from_utf8_lossy(&bytes);
    let (head, body) = text.split_once("\r\n\r\n").unwrap_or((&text, ""));
    let status = head.split(' ').nth(1).and_then(|s| s.parse().ok()).unwrap_or(0);
    let is_chunked = head.to_lowercase().contains("transfer-encoding: chunked");
    let body = if is_chunked { joined(body) } else { body.to_owned() };
    Answer { status, head: head.to_owned(), body }
}

/// Copies both ways; the answer may come before everything was said.
const SPEAKER: &str = "exec 4<&0 3<>/dev/tcp/127.0.0.1/$0; cat <&4 >&3 2>/dev/null & \
                       cat <&3 2>/dev/null; kill $! 2>/dev/null; true";

fn joined(mut chunks: &str) -> String {
    let mut body = String::new();
    while let Some((size, rest)) = chunks.split_once("\r\n") {
        let size = usize::from_str_radix(size.trim(), 16).unwrap_or(0);
        if size == 0 || rest.len() < size {
            break;
        }
        body.push_str(&rest[..size]);
        chunks = rest[size..].trim_start_matches("\r\n");
    }
    body
}
