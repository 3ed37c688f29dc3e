//! What people are shown of arguments, in one place for all channels.

/// `text` in quotes, safe to show: nothing in it acts on a terminal or reads other than it is,
/// and at most `max` characters of it are shown.
pub fn quote(text: &str, max: usize) -> String {
    let shown: String = text.chars().take(max).flat_map(char::escape_debug).collect();
    let rest = text.chars().count().saturating_sub(max);
    if rest == 0 { format!("\"{shown}\"") } else { format!("\"{shown}…\" ({rest} more)") }
}
