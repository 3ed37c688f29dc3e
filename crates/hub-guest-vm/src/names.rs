//! The tools whose names come closest to one that does not exist.

/// Names shown.
const SHOWN: usize = 3;
/// Longer names are compared by their first characters.
const COMPARED: usize = 64;

/// The closest of `names`, joined by commas; empty when none is near.
pub fn closest(names: &[String], wanted: &str) -> String {
    let wanted = folded(wanted);
    let mut near: Vec<(usize, &str)> = names
        .iter()
        .filter_map(|name| {
            let name_folded = folded(name);
            let longest = name_folded.len().max(wanted.len());
            let inside = wanted.len() > 2
                && (contains(&name_folded, &wanted) || contains(&wanted, &name_folded));
            let far = distance(&name_folded, &wanted);
            let score = if inside { far.min(longest / 3) } else { far };
            (score * 2 <= longest).then_some((score, name.as_str()))
        })
        .collect();
    near.sort();
    near.truncate(SHOWN);
    near.iter().map(|(_, name)| *name).collect::<Vec<_>>().join(", ")
}

fn folded(name: &str) -> Vec<char> {
    name.chars()
        .filter(|c| c.is_alphanumeric())
        .flat_map(char::to_lowercase)
        .take(COMPARED)
        .collect()
}

fn contains(long: &[char], short: &[char]) -> bool {
    !short.is_empty() && long.windows(short.len()).any(|window| window == short)
}

/// Edits (insert, remove, replace) from `a` to `b`.
fn distance(a: &[char], b: &[char]) -> usize {
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.iter().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, y) in b.iter().enumerate() {
            let replaced = diagonal + usize::from(x != y);
            diagonal = row[j + 1];
            row[j + 1] = replaced.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[b.len()]
}
