//! Code inside a Markdown fence, with or without prose around it.

use crate::text::count;
use oxc_ast::ast::Comment;

/// Notice for code that stood in one fence alone.
const UNWRAPPED: &str = "The code fence was unwrapped; send bare code.";
/// Notice where something else was left out.
const IGNORED: &str =
    "Only the first code block was run; the text and other blocks around it were ignored.";

const CODE_WORDS: [&str; 12] = [
    "js",
    "javascript",
    "ts",
    "typescript",
    "mjs",
    "cjs",
    "mts",
    "node",
    "es6",
    "jsx",
    "tsx",
    "ecmascript",
];

/// A text with only the code of one fence left; lines and columns as before.
pub struct Unwrapped {
    pub text: String,
    pub notice: &'static str,
}

/// A fenced block: where its code lies.
struct Block {
    start: usize,
    end: usize,
    is_code: bool,
    unlabelled: bool,
    whole_start: usize,
    whole_end: usize,
}

/// Whether the first thing in the text is a fence of backticks, which no program starts with.
pub fn starts(text: &str) -> bool {
    text.trim_start_matches('\u{feff}').trim_start().starts_with("```")
}

/// Whether a fence of backticks stands in a text outside of its comments. Where that parses at
/// all, it is a string called as a function.
pub fn stands_in(text: &str, comments: &[Comment]) -> bool {
    let mut at = 0;
    text.split_inclusive('\n').any(|line| {
        let start = count(at);
        at += line.len();
        let inside = |c: &Comment| c.span.start <= start && start < c.span.end;
        line.trim_start().starts_with("```") && !comments.iter().any(inside)
    })
}

/// The code of the first block that is code.
pub fn unwrap(text: &str) -> Option<Unwrapped> {
    let blocks = blocks(text);
    let block = blocks
        .iter()
        .find(|b| b.is_code)
        .or_else(|| blocks.iter().find(|b| b.unlabelled))
        .or_else(|| blocks.first())?;
    let mut out: String =
        text[..block.start].chars().filter(|c| matches!(c, '\n' | '\r')).collect();
    out.push_str(&text[block.start..block.end]);
    let around = [&text[..block.whole_start], &text[block.whole_end..]];
    let alone = around.iter().all(|t| t.trim_matches(['\u{feff}']).trim().is_empty());
    Some(Unwrapped { text: out, notice: if alone { UNWRAPPED } else { IGNORED } })
}

fn blocks(text: &str) -> Vec<Block> {
    let mut found = Vec::new();
    let mut open: Option<(&str, Block)> = None;
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let (start, end) = (at, at + line.len());
        at = end;
        let bare = line.trim_start_matches('\u{feff}').trim();
        let Some((fence, label)) = fence(bare) else { continue };
        match open.take() {
            None => {
                let label = label.split([' ', '{', ',', ':']).next().unwrap_or_default();
                let is_code = CODE_WORDS.contains(&label.to_ascii_lowercase().as_str());
                open = Some((
                    fence,
                    Block {
                        start: end,
                        end: text.len(),
                        is_code,
                        unlabelled: label.is_empty(),
                        whole_start: start,
                        whole_end: text.len(),
                    },
                ));
            }
            Some((first, mut block)) => {
                let closes = label.is_empty() && fence.starts_with(first);
                if closes {
                    block.end = start;
                    block.whole_end = end;
                    found.push(block);
                } else {
                    open = Some((first, block));
                }
            }
        }
    }
    found.extend(open.map(|(_, block)| block));
    found
}

/// The fence and label of a line that is one.
fn fence(line: &str) -> Option<(&str, &str)> {
    let sign = line.chars().next().filter(|c| matches!(c, '`' | '~'))?;
    let length = line.len() - line.trim_start_matches(sign).len();
    let (fence, label) = line.split_at(length);
    let label = label.trim();
    (length >= 3 && !label.contains('`')).then_some((fence, label))
}
