//! Patterns over addresses, segment by segment.

/// Whether `pattern` covers `address`: `*` stands for one whole segment, a trailing `**` for any
/// rest, anything else for itself.
pub(super) fn covers(pattern: &str, address: &str) -> bool {
    let mut rest = address.split('.');
    let mut segments = pattern.split('.').peekable();
    while let Some(segment) = segments.next() {
        if segment == "**" {
            return segments.peek().is_none();
        }
        match rest.next() {
            Some(found) if segment == "*" || segment == found => {}
            _ => return false,
        }
    }
    rest.next().is_none()
}

/// Whether some address is covered by both.
pub(super) fn meet(a: &str, b: &str) -> bool {
    let (mut a, mut b) = (a.split('.'), b.split('.'));
    loop {
        match (a.next(), b.next()) {
            (Some("**"), _) | (_, Some("**")) | (None, None) => return true,
            (Some(x), Some(y)) if x == y || x == "*" || y == "*" => {}
            _ => return false,
        }
    }
}

/// Whether `outer` surely covers whatever `inner` covers.
pub(super) fn includes(outer: &str, inner: &str) -> bool {
    let is_open = |pattern: &str| pattern.split('.').next_back() == Some("**");
    covers(outer, inner) && (is_open(outer) || !is_open(inner))
}

/// How closely `pattern` names addresses: whether it names a single one, then how many segments
/// it spells out.
pub(super) fn closeness(pattern: &str) -> (bool, usize) {
    let literal = pattern.split('.').filter(|s| !matches!(*s, "*" | "**")).count();
    (literal == pattern.split('.').count(), literal)
}
