//! Words of the trade that stand for each other. Written in folded form.

/// Words of one meaning; `true` where they are verbs.
const GROUPS: &[(bool, &[&str])] = &[
    (true, &["create", "add", "new", "make", "open", "start"]),
    (true, &["delete", "remove", "drop", "destroy", "erase"]),
    (true, &["list", "get", "show", "recent", "fetch", "retrieve", "read", "view"]),
    (true, &["find", "search", "query", "lookup"]),
    (true, &["update", "edit", "change", "modify", "set", "patch"]),
    (true, &["send", "post", "publish"]),
    (false, &["repo", "repository"]),
    (false, &["message", "dm", "history"]),
    (false, &["directory", "folder"]),
    (false, &["issue", "ticket"]),
];

/// The words that stand for `word`, each with whether it is a verb.
pub(super) fn of(word: &str) -> impl Iterator<Item = (&'static str, bool)> + '_ {
    GROUPS
        .iter()
        .filter(move |(_, words)| words.contains(&word))
        .flat_map(|(verb, words)| words.iter().map(move |w| (*w, *verb)))
        .filter(move |(w, _)| *w != word)
}
