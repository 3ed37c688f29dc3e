//! A relay between a client and a hub that loses answers as it is told to.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

/// What becomes of the answer to one request.
#[derive(Clone, Debug)]
pub enum Fate {
    /// It is passed on.
    Whole,
    /// So many bytes of it are passed on, then both ends are closed.
    Cut(usize),
    /// It is passed on up to the end of its first event.
    CutAfterEvent,
    /// It is taken in whole, and this is passed on instead.
    Replaced(String),
}

type Decide = dyn Fn(&str) -> Fate + Send + Sync;

/// Relays until the test ends.
pub struct Relay {
    /// Where it listens.
    pub port: u16,
    seen: Arc<Mutex<Vec<String>>>,
    longest: Arc<AtomicUsize>,
}

impl Relay {
    /// Relays to the hub on `hub`; `decide` is given each request's body.
    pub fn start(hub: u16, decide: impl Fn(&str) -> Fate + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let (seen, longest): (Arc<Mutex<Vec<String>>>, Arc<AtomicUsize>) = Default::default();
        let (decide, log, most): (Arc<Decide>, _, _) =
            (Arc::new(decide), seen.clone(), longest.clone());
        std::thread::spawn(move || {
            for client in listener.incoming().map_while(Result::ok) {
                let (decide, log, most) = (decide.clone(), log.clone(), most.clone());
                std::thread::spawn(move || relay(client, hub, &*decide, &log, &most));
            }
        });
        Self { port, seen, longest }
    }

    /// How many requests held `text`.
    pub fn count(&self, text: &str) -> usize {
        self.seen.lock().unwrap().iter().filter(|body| body.contains(text)).count()
    }

    /// Bytes of the longest answer passed on so far.
    pub fn longest(&self) -> usize {
        self.longest.load(Ordering::SeqCst)
    }
}

fn relay(
    client: TcpStream,
    hub: u16,
    decide: &Decide,
    log: &Mutex<Vec<String>>,
    longest: &AtomicUsize,
) -> Option<()> {
    let mut reader = BufReader::new(client.try_clone().ok()?);
    let (head, body) = request(&mut reader, hub)?;
    let text = format!("{head}{}", String::from_utf8_lossy(&body));
    log.lock().unwrap().push(text.clone());
    let fate = decide(&text);
    let mut to = TcpStream::connect(("127.0.0.1", hub)).ok()?;
    to.write_all(head.as_bytes()).ok()?;
    to.write_all(&body).ok()?;
    let mut client = client;
    if let Fate::Replaced(answer) = &fate {
        to.read_to_end(&mut Vec::new()).ok()?;
        return client.write_all(answer.as_bytes()).ok();
    }
    let (mut passed, mut all) = (0, Vec::new());
    let mut chunk = [0; 4_096];
    loop {
        let most = match fate {
            Fate::Cut(at) if at == passed => return Some(()),
            Fate::Cut(at) => (at - passed).min(chunk.len()),
            Fate::CutAfterEvent if ends_an_event(&all) => return Some(()),
            Fate::CutAfterEvent => 1,
            _ => chunk.len(),
        };
        let bytes = to.read(&mut chunk[..most]).ok()?;
        if bytes == 0 {
            longest.fetch_max(passed, Ordering::SeqCst);
            return Some(());
        }
        client.write_all(&chunk[..bytes]).ok()?;
        all.extend_from_slice(&chunk[..bytes]);
        passed += bytes;
    }
}

/// Whether the answer so far ends with the first event that carries an id.
fn ends_an_event(answer: &[u8]) -> bool {
    let text = String::from_utf8_lossy(answer);
    text.contains("text/event-stream") && text.contains("\nid:") && text.ends_with("\n\n")
}

/// One request, with the hub as its host and an end after it.
fn request(from: &mut impl BufRead, hub: u16) -> Option<(String, Vec<u8>)> {
    let (mut head, mut length) = (String::new(), 0);
    loop {
        let mut line = String::new();
        if from.read_line(&mut line).ok()? == 0 {
            return None;
        }
        let name = line.split(':').next().unwrap_or_default().to_ascii_lowercase();
        match name.as_str() {
            "host" => head.push_str(&format!("host: 127.0.0.1:{hub}\r\n")),
            "connection" => {}
            "content-length" => {
                length = line.split(':').nth(1)?.trim().parse().ok()?;
                head.push_str(&line);
            }
            "\r\n" => break,
            _ => head.push_str(&line),
        }
    }
    head.push_str("connection: close\r\n\r\n");
    let mut body = vec![0; length];
    from.read_exact(&mut body).ok()?;
    Some((head, body))
}
