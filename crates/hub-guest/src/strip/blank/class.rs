//! Classes: heads, modifiers, members that only declare.

use super::Blank;
use crate::text::count;
use oxc_ast::ast::*;
use oxc_span::{GetSpan, Span};

const MODIFIERS: [&str; 5] = ["public", "private", "protected", "readonly", "override"];

impl Blank<'_> {
    pub(super) fn class_head(&mut self, it: &Class<'_>) {
        if it.r#abstract {
            let start = self.word_from("abstract", it.span.start);
            self.blank(start, start + count("abstract".len()));
        }
        self.type_parameters(it.type_parameters.as_deref());
        self.type_arguments(it.heritage.as_ref().and_then(|h| h.type_arguments.as_deref()));
        if let (Some(first), Some(last)) = (it.implements.first(), it.implements.last()) {
            let before = &self.text[it.span.start as usize..first.span.start as usize];
            let word = before.rfind("implements").map_or(before.len(), |i| i);
            self.blank(it.span.start + count(word), last.span.end);
        }
    }

    /// Blanks what is type in a member; true where nothing of it stays.
    pub(super) fn class_member(&mut self, it: &ClassElement<'_>) -> bool {
        match it {
            ClassElement::TSIndexSignature(it) => self.blank_whole(it.span),
            ClassElement::MethodDefinition(it) if it.value.body.is_none() => {
                self.blank_whole(it.span);
            }
            ClassElement::PropertyDefinition(it)
                if it.declare
                    || it.r#type == PropertyDefinitionType::TSAbstractPropertyDefinition =>
            {
                self.blank_whole(it.span);
            }
            ClassElement::MethodDefinition(it) => {
                self.modifiers(it.span.start, it.key.span());
                if it.optional {
                    let mark = self.after_key(it.key.span().end, it.computed);
                    self.blank(mark, mark + 1);
                }
                return false;
            }
            ClassElement::PropertyDefinition(it) => {
                self.modifiers(it.span.start, it.key.span());
                self.field(it);
                return false;
            }
            _ => return false,
        }
        true
    }

    /// The type of a field. A field without a value gets a `;`: `get` or `static` on a line of
    /// its own would join the next member.
    fn field(&mut self, it: &PropertyDefinition<'_>) {
        let marked = it.optional || it.definite;
        if !marked && it.type_annotation.is_none() {
            return;
        }
        let start = self.after_key(it.key.span().end, it.computed);
        let end = it.type_annotation.as_ref().map_or(start + 1, |t| t.span.end);
        self.blank(start, end);
        if it.value.is_none() {
            self.edits().mark(start, b';');
        }
    }

    /// The first token after a member's name, with the bracket of a computed one.
    fn after_key(&self, end: u32, computed: bool) -> u32 {
        let next = self.next_token(end);
        if computed && self.byte(next) == b']' { self.next_token(next + 1) } else { next }
    }

    /// `private readonly` and the like before a member's name. At the start of a member a `;`
    /// takes their place: what follows may be `[` or `*`, which would join the member before.
    fn modifiers(&mut self, start: u32, key: Span) {
        let mut at = self.next_token(start);
        while at < key.start {
            let rest = &self.text[at as usize..key.start as usize];
            let length = rest.find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(rest.len());
            let length = count(length);
            if MODIFIERS.contains(&&rest[..length as usize]) {
                self.blank(at, at + length);
                if at == start {
                    self.edits().mark(at, b';');
                }
            }
            at = self.next_token(at + length.max(1));
        }
    }

    fn word_from(&self, word: &str, from: u32) -> u32 {
        from + count(self.text[from as usize..].find(word).unwrap_or(0))
    }
}
