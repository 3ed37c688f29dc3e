//! The names most like a given one.

/// Names offered for one unknown name.
const OFFERED: usize = 3;
/// Characters compared; longer names are not typing slips.
const COMPARED: usize = 64;

/// Names of `known` most like `name`, best first. Names that have nothing in common stay out.
pub fn closest<'k>(name: &str, known: impl Iterator<Item = &'k str>) -> Vec<String> {
    let wanted = folded(name);
    let mut ranked: Vec<(usize, &str)> = known
        .filter_map(|candidate| {
            let other = folded(candidate);
            let distance = distance(&wanted, &other);
            let contained = wanted.len() > 2
                && (contains(&other, &wanted) || other.len() > 2 && contains(&wanted, &other));
            let allowed = wanted.len().max(other.len()).div_ceil(3);
            (distance <= allowed || contained).then_some((distance, candidate))
        })
        .collect();
    ranked.sort();
    ranked.into_iter().take(OFFERED).map(|(_, name)| name.to_owned()).collect()
}

fn contains(long: &[char], short: &[char]) -> bool {
    long.windows(short.len()).any(|window| window == short)
}

/// Case and separators are what models get wrong most.
fn folded(name: &str) -> Vec<char> {
    name.chars()
        .filter(|c| c.is_alphanumeric())
        .flat_map(char::to_lowercase)
        .take(COMPARED)
        .collect()
}

/// Edits (swaps of neighbours count as one) from `a` to `b`.
fn distance(a: &[char], b: &[char]) -> usize {
    let mut before = vec![0; b.len() + 1];
    let mut last: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.iter().enumerate() {
        let mut row = vec![i + 1; b.len() + 1];
        for (j, y) in b.iter().enumerate() {
            let change = last[j] + usize::from(x != y);
            row[j + 1] = change.min(last[j + 1] + 1).min(row[j] + 1);
            if i > 0 && j > 0 && *x == b[j - 1] && a[i - 1] == *y {
                row[j + 1] = row[j + 1].min(before[j - 1] + 1);
            }
        }
        before = std::mem::replace(&mut last, row);
    }
    last[b.len()]
}
