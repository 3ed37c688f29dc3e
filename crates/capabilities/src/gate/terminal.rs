//! The terminal device itself, whatever standard input is.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Write};

/// Bytes of one answer.
const ANSWER_BYTES: u64 = 4_096;

/// A person at a terminal.
pub struct Terminal {
    /// The device, such as `/dev/pts/3`.
    pub name: String,
    device: File,
    input: BufReader<File>,
}

impl Terminal {
    /// Opens the controlling terminal.
    pub fn open() -> io::Result<Self> {
        let device = File::options()
            .read(true)
            .write(true)
            .open("/dev/tty")
            .map_err(|_| io::Error::other("this process has no terminal"))?;
        let name = name();
        let input = BufReader::new(device.try_clone()?);
        Ok(Self { name, device, input })
    }

    /// Shows a line. Control characters of foreign texts are made visible.
    pub fn say(&mut self, line: &str) -> io::Result<()> {
        writeln!(self.device, "{}", visible(line))
    }

    /// Asks and reads one line, trimmed; none at the end of input.
    pub fn ask(&mut self, question: &str) -> io::Result<Option<String>> {
        write!(self.device, "{}", visible(question))?;
        self.device.flush()?;
        let mut line = String::new();
        let read = self.input.by_ref().take(ANSWER_BYTES).read_line(&mut line)?;
        Ok((read > 0).then(|| line.trim().to_owned()))
    }

    /// Asks for something that is not shown while it is typed.
    pub fn ask_hidden(&mut self, question: &str) -> io::Result<Option<String>> {
        use rustix::termios::{LocalModes, OptionalActions, tcgetattr, tcsetattr};
        let before = tcgetattr(&self.device)?;
        let mut quiet = before.clone();
        quiet.local_modes.remove(LocalModes::ECHO);
        tcsetattr(&self.device, OptionalActions::Flush, &quiet)?;
        let answer = self.ask(question);
        tcsetattr(&self.device, OptionalActions::Flush, &before)?;
        writeln!(self.device)?;
        answer
    }
}

/// The device behind `/dev/tty`, by whichever standard stream is on it.
fn name() -> String {
    let streams = [
        rustix::termios::ttyname(rustix::stdio::stdin(), Vec::new()),
        rustix::termios::ttyname(rustix::stdio::stderr(), Vec::new()),
        rustix::termios::ttyname(rustix::stdio::stdout(), Vec::new()),
    ];
    let found = streams.into_iter().find_map(Result::ok);
    found.map_or_else(|| "terminal".to_owned(), |name| name.to_string_lossy().into_owned())
}

/// `text` without anything that acts on a terminal.
pub fn visible(text: &str) -> String {
    let safe = |c: char| c == '\t' || !c.is_control() && !is_invisible(c);
    text.chars()
        .flat_map(|c| {
            let shown: Vec<char> = if safe(c) { vec![c] } else { c.escape_unicode().collect() };
            shown
        })
        .collect()
}

/// Characters that change the order of others or cannot be seen (Unicode Bidi and format).
fn is_invisible(c: char) -> bool {
    matches!(c,
        '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}'
            | '\u{e0000}'..='\u{e0fff}'
    )
}
