//! Names that say that their value is a secret.

/// Last words that name a secret.
const SECRETS: &[&str] = &[
    "password",
    "passwords",
    "passwd",
    "passphrase",
    "passcode",
    "pwd",
    "secret",
    "secrets",
    "token",
    "tokens",
    "apikey",
    "apikeys",
    "authorization",
    "credential",
    "credentials",
    "bearer",
    "jwt",
    "otp",
    "totp",
    "mnemonic",
    "kennwort",
    "passwort",
    "contraseña",
    "senha",
    "пароль",
    "密码",
    "密碼",
    "パスワード",
    "비밀번호",
];
/// Words that make a following `key` or `code` a secret.
const BEFORE_KEY: &[&str] = &[
    "api",
    "access",
    "private",
    "secret",
    "signing",
    "encryption",
    "master",
    "shared",
    "account",
    "service",
    "auth",
    "client",
    "license",
    "storage",
    "webhook",
    "deploy",
];
/// Pairs of last words that name a secret.
const PAIRS: &[(&str, &str)] = &[
    ("session", "id"),
    ("session", "cookie"),
    ("auth", "cookie"),
    ("set", "cookie"),
    ("pass", "word"),
    ("pass", "phrase"),
    ("seed", "phrase"),
    ("recovery", "phrase"),
    ("recovery", "code"),
    ("recovery", "codes"),
    ("backup", "codes"),
    ("auth", "code"),
    ("verification", "code"),
    ("connection", "string"),
    ("basic", "auth"),
    ("card", "cvv"),
    ("security", "code"),
];
/// Whole names that name a secret.
const WHOLE: &[&str] = &["cookie", "cvv", "cvc", "auth", "dsn"];
/// Words before `token` that make it a place in a list or a count, no secret.
const HARMLESS_TOKENS: &[&str] = &[
    "page",
    "next",
    "previous",
    "prev",
    "continuation",
    "continue",
    "sync",
    "pagination",
    "cursor",
    "start",
    "max",
    "min",
    "total",
    "input",
    "output",
    "prompt",
    "completion",
    "stop",
    "special",
    "pad",
    "eos",
    "bos",
    "unk",
    "mask",
    "sep",
];
/// Words behind a name that do not change what it names.
const TRAILING: &[&str] = &[
    "value",
    "text",
    "string",
    "raw",
    "data",
    "header",
    "new",
    "old",
    "current",
    "confirm",
    "confirmation",
    "hash",
    "base64",
    "b64",
    "plain",
    "plaintext",
    "again",
    "repeat",
];
/// Endings of names written in one piece.
const ENDINGS: &[&str] = &[
    "password",
    "passwd",
    "passphrase",
    "secret",
    "apikey",
    "accesskey",
    "privatekey",
    "secretkey",
    "accesstoken",
    "authtoken",
    "refreshtoken",
    "bearertoken",
    "apitoken",
    "idtoken",
    "sessiontoken",
    "usertoken",
    "bottoken",
    "sessionid",
    "authcode",
];

/// Whether a value under this name is a secret.
pub(super) fn is_secret(name: &str) -> bool {
    let words = words(name);
    let words: Vec<&str> =
        words.iter().map(|w| w.trim_end_matches(|c: char| c.is_ascii_digit())).collect();
    let mut words = words.as_slice();
    loop {
        if names_secret(words) {
            return true;
        }
        match words {
            [rest @ .., last] if TRAILING.contains(last) || last.is_empty() => words = rest,
            _ => return false,
        }
    }
}

fn names_secret(words: &[&str]) -> bool {
    match words {
        [] => false,
        [word] if WHOLE.contains(word) || ENDINGS.iter().any(|e| word.ends_with(e)) => true,
        [.., before, "token" | "tokens"] => !HARMLESS_TOKENS.contains(before),
        [.., before, "key" | "keys"] if BEFORE_KEY.contains(before) => true,
        [.., before, last] if PAIRS.contains(&(before, last)) => true,
        [.., last] => SECRETS.contains(last),
    }
}

/// The words of a name, in lower case: split at case, at digits' edges kept, at anything else.
fn words(name: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    let mut fresh = true;
    let mut before = None::<char>;
    let mut chars = name.chars().take(200).peekable();
    while let Some(c) = chars.next() {
        if !c.is_alphanumeric() {
            (fresh, before) = (true, None);
            continue;
        }
        let rises = c.is_uppercase() && before.is_some_and(|b| !b.is_uppercase());
        let ends_capitals = c.is_uppercase()
            && before.is_some_and(char::is_uppercase)
            && chars.peek().is_some_and(|n| n.is_lowercase());
        if fresh || rises || ends_capitals {
            words.push(String::new());
        }
        if let Some(word) = words.last_mut() {
            word.extend(c.to_lowercase());
        }
        (fresh, before) = (false, Some(c));
    }
    words
}
