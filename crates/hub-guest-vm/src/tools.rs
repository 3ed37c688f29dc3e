//! The tools of one namespace, found by name. A list may be long and a program mostly wants one
//! of it: names are searched in the host's order first, and put in order once many were asked for.

use std::cell::{Cell, OnceCell};

/// Names that are searched one by one before the list is put in order.
pub const SEARCHES: u32 = 32;

/// Names of tools, and the raw names they go by as well.
pub struct Tools {
    /// All names, one after the other.
    bytes: Vec<u8>,
    /// Where each ends: a tool's name, its raw name, the next tool's name, …
    ends: Vec<u32>,
    searches: Cell<u32>,
    /// Numbers of names by their bytes; of equal ones a tool's own name first, then the earlier.
    order: OnceCell<Vec<u32>>,
}

/// A name that was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Found {
    /// The tool's place in the list.
    pub tool: u32,
    /// Whether this is the tool's own name, which is listed.
    pub listed: bool,
}

impl Tools {
    /// Reads `[[name, raw], …]` as the host writes it; what is no such list has no tools.
    pub fn read(json: &[u8]) -> Self {
        let (bytes, ends) =
            texts(json).filter(|(_, ends)| ends.len().is_multiple_of(2)).unwrap_or_default();
        Self { bytes, ends, searches: Cell::new(0), order: OnceCell::new() }
    }

    /// The name of a tool.
    pub fn name(&self, tool: u32) -> &[u8] {
        self.text(2 * tool)
    }

    /// Names of all tools, in the host's order.
    pub fn names(&self) -> impl Iterator<Item = &[u8]> {
        (0..self.count() / 2).map(|tool| self.name(tool))
    }

    /// The tool that `name` means: a raw name that is also another tool's name means that tool.
    pub fn find(&self, name: &[u8]) -> Option<Found> {
        let searches = self.searches.get();
        if searches >= SEARCHES {
            let order = self.order();
            let at = order.partition_point(|text| self.text(*text) < name);
            return order.get(at).filter(|text| self.text(**text) == name).map(|text| found(*text));
        }
        self.searches.set(searches + 1);
        let any = |from: u32| (from..self.count()).step_by(2).find(|text| self.text(*text) == name);
        any(0).or_else(|| any(1)).map(found)
    }

    /// Every name once: numbers in their order, tools, then the other raw names.
    pub fn all_names(&self) -> Vec<&[u8]> {
        let order = self.order();
        let is_first = |at: &usize| *at == 0 || self.text(order[at - 1]) != self.text(order[*at]);
        let mut raw: Vec<(Option<u32>, u32)> = (0..order.len())
            .filter(is_first)
            .map(|at| order[at])
            .filter(|text| text % 2 == 1)
            .map(|text| (index(self.text(text)), text))
            .collect();
        // Numbers first, then by their place.
        raw.sort_unstable_by_key(|(index, text)| (index.is_none(), *index, *text));
        let numbers = raw.partition_point(|(index, _)| index.is_some());
        let texts = |part: &[(Option<u32>, u32)]| part.iter().map(|(_, text)| *text).collect();
        let (numbers, others): (Vec<u32>, Vec<u32>) =
            (texts(&raw[..numbers]), texts(&raw[numbers..]));
        let own = (0..self.count()).step_by(2);
        numbers.into_iter().chain(own).chain(others).map(|text| self.text(text)).collect()
    }

    fn count(&self) -> u32 {
        self.ends.len() as u32
    }

    fn text(&self, number: u32) -> &[u8] {
        let number = number as usize;
        let from = number.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.bytes[from as usize..self.ends[number] as usize]
    }

    fn order(&self) -> &[u32] {
        self.order.get_or_init(|| {
            let mut order: Vec<u32> = (0..self.count()).collect();
            order.sort_unstable_by_key(|text| (self.text(*text), text % 2, *text));
            order
        })
    }
}

fn found(text: u32) -> Found {
    Found { tool: text / 2, listed: text.is_multiple_of(2) }
}

/// The number that a name is as an index of an array.
fn index(name: &[u8]) -> Option<u32> {
    let text = std::str::from_utf8(name).ok()?;
    let number = text.parse::<u32>().ok().filter(|number| *number < u32::MAX)?;
    (number.to_string() == text).then_some(number)
}

/// All texts of a JSON text that holds lists and texts only.
fn texts(json: &[u8]) -> Option<(Vec<u8>, Vec<u32>)> {
    let (mut bytes, mut ends) = (Vec::with_capacity(json.len()), Vec::new());
    let mut rest = json;
    while let Some((first, after)) = rest.split_first() {
        rest = after;
        match first {
            b'"' => {
                rest = one_text(rest, &mut bytes)?;
                ends.push(u32::try_from(bytes.len()).ok()?);
            }
            b'[' | b']' | b',' => {}
            _ => return None,
        }
    }
    Some((bytes, ends))
}

/// Copies a text to its end; what comes behind it.
fn one_text<'a>(mut rest: &'a [u8], bytes: &mut Vec<u8>) -> Option<&'a [u8]> {
    loop {
        let end = rest.iter().position(|byte| matches!(byte, b'"' | b'\\'))?;
        bytes.extend_from_slice(&rest[..end]);
        if rest[end] == b'"' {
            return Some(&rest[end + 1..]);
        }
        let escaped = *rest.get(end + 1)?;
        rest = &rest[end + 2..];
        bytes.push(match escaped {
            b'n' => b'\n',
            b'r' => b'\r',
            b't' => b'\t',
            b'b' => 8,
            b'f' => 12,
            b'"' | b'\\' | b'/' => escaped,
            // The host escapes nothing else but control characters.
            b'u' => {
                let (digits, after) = rest.split_at_checked(4)?;
                rest = after;
                let number = u32::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()?;
                u8::try_from(number).ok().filter(u8::is_ascii)?
            }
            _ => return None,
        });
    }
}
