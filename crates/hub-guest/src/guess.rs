//! What a text is that is no program, so that the refusal can say what to send instead.

use oxc_ast::ast::*;
use oxc_span::GetSpan;

const SHELL: &str = "This takes JavaScript, not shell commands. Find tools with search, then call \
    them: `return await source.tool({ … })`.";
const JSON: &str = "This takes JavaScript, not JSON. Call a tool: \
    `return await source.tool({ … })`; to return an object, write `return { … }`.";
const OBJECT: &str = "A statement cannot start with an object; write `return { … }`.";
const PYTHON: &str = "This takes JavaScript, not Python.";
const JSX: &str = "This takes JavaScript and TypeScript without JSX; return data, or build markup \
    as a text.";
const MARKUP: &str = "This takes JavaScript, not markup; return text as a string.";

const COMMANDS: [&str; 40] = [
    "apt", "bash", "brew", "cargo", "cat", "cd", "chmod", "cp", "curl", "docker", "echo", "export",
    "find", "gh", "git", "grep", "head", "kubectl", "ls", "make", "mkdir", "mv", "node", "npm",
    "npx", "pip", "pnpm", "ps", "pwd", "python", "python3", "rm", "sed", "sh", "ssh", "sudo",
    "tail", "touch", "wget", "yarn",
];

/// A hint for a text that does not parse.
pub fn hint(text: &str) -> Option<&'static str> {
    let text = text.trim_start();
    let first = text.lines().next().unwrap_or_default().trim();
    let command = first.strip_prefix("$ ").unwrap_or(first);
    let mut words = command.split(' ');
    let (word, next) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
    let is_name = |w: &str| w.starts_with(|c: char| c.is_alphanumeric() || "-./~\"'$".contains(c));
    if COMMANDS.contains(&word) && is_name(next) && !command.ends_with(['{', ';']) {
        return Some(SHELL);
    }
    if first.starts_with("#!/") && first.contains("sh") {
        return Some(SHELL);
    }
    if text.starts_with('<') {
        return Some(MARKUP);
    }
    let opens_object = text.starts_with(['{', '[']);
    if opens_object && serde_json::from_str::<serde::de::IgnoredAny>(text).is_ok() {
        return Some(JSON);
    }
    if text.starts_with('{') && text.trim_end().ends_with(['}', ';']) {
        return Some(OBJECT);
    }
    if has_jsx(text) {
        return Some(JSX);
    }
    text.lines().any(is_python).then_some(PYTHON)
}

/// Whether an element seems to stand where a value does, and to be closed.
fn has_jsx(text: &str) -> bool {
    let closed = ["</", "/>"].iter().any(|end| text.contains(end));
    closed
        && text.match_indices('<').any(|(at, _)| {
            let before = text[..at].trim_end();
            let after = text[at + 1..].chars().next();
            let value = before.ends_with(['(', '=', ',', '?', ':', '[', '{', '&', '|'])
                || before.ends_with("=>")
                || before.ends_with("return");
            value && after.is_some_and(|c| c == '>' || c.is_ascii_alphabetic())
        })
}

fn is_python(line: &str) -> bool {
    let line = line.trim();
    let header = ["def ", "elif ", "except", "class ", "if ", "for ", "with ", "async def "];
    (line.ends_with(':') && header.iter().any(|word| line.starts_with(word)))
        || (line.starts_with("from ") && line.contains(" import "))
        || (line.starts_with("import ") && !line.contains(['\'', '"']))
}

/// The first word of a shell command that also reads as JavaScript, such as `ls -la /tmp`.
pub fn command<'a>(
    live: &[&Statement<'a>],
    is_global: impl Fn(&IdentifierReference<'_>) -> bool,
) -> Option<(&'a str, u32, &'static str)> {
    let [Statement::ExpressionStatement(only)] = live else { return None };
    let mut first = &only.expression;
    let mut operators = 0;
    loop {
        first = match first {
            Expression::BinaryExpression(it) => &it.left,
            Expression::LogicalExpression(it) => &it.left,
            _ => break,
        };
        operators += 1;
    }
    let Expression::Identifier(it) = first else { return None };
    let is_command = COMMANDS.contains(&it.name.as_str()) && is_global(it);
    (is_command && (operators > 0 || it.name == "ls" || it.name == "pwd")).then_some((
        it.name.as_str(),
        first.span().start,
        SHELL,
    ))
}
