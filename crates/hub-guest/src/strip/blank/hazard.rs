//! Places where a blanked type would change how the rest is read.

use super::Blank;
use oxc_ast::ast::*;

impl Blank<'_> {
    /// Parameters and return type of an arrow function. Nothing may stand on a new line before
    /// `=>`, so over several lines the closing parenthesis moves to the end of the type.
    pub(super) fn arrow(&mut self, it: &ArrowFunctionExpression<'_>) {
        if let Some(generics) = &it.type_parameters {
            self.blank(generics.span.start, generics.span.end);
            self.types.transform |= self.has_newline(generics.span.start, generics.span.end);
        }
        self.blank_params(None, &it.params);
        let Some(returns) = &it.return_type else { return };
        self.blank(returns.span.start, returns.span.end);
        if self.has_newline(it.params.span.end, returns.span.end) {
            let close = it.params.span.end - 1;
            self.blank(close, close + 1);
            self.edits().mark(returns.span.end - 1, b')');
        }
    }

    /// `as T` and `satisfies T`. The next line may begin with a bracket, which the type kept
    /// from joining the value.
    pub(super) fn after_value(&mut self, start: u32, end: u32) {
        self.blank(start, end);
        let next = self.next_token(end);
        if matches!(self.byte(next), b'(' | b'[' | b'`') && self.has_newline(end, next) {
            self.edits().mark(start, b';');
        }
    }

    /// `<T>value`: the value must not become a block, a declaration or a line of its own.
    pub(super) fn assertion(&mut self, it: &TSTypeAssertion<'_>) {
        let value = it.expression.span();
        self.blank(it.span.start, value.start);
        let rest = self.text.get(value.start as usize..).unwrap_or_default();
        let declares = ["{", "function", "class", "async", "let"];
        self.types.transform |= self.has_newline(it.span.start, value.start)
            || declares.iter().any(|word| rest.starts_with(word));
    }

    /// A statement. A text with a type is a value; alone it would be a directive.
    pub(super) fn directive(&mut self, it: &Expression<'_>) {
        let (mut inner, mut typed) = (it, false);
        loop {
            inner = match inner {
                Expression::TSAsExpression(it) => &it.expression,
                Expression::TSSatisfiesExpression(it) => &it.expression,
                Expression::TSNonNullExpression(it) => &it.expression,
                Expression::TSTypeAssertion(it) => &it.expression,
                other => {
                    let text = matches!(other, Expression::StringLiteral(_));
                    self.types.transform |= typed && text;
                    return;
                }
            };
            typed = true;
        }
    }

    /// The left side of an operator. `a + b as T * c` multiplies the sum; without its type the
    /// product would come first.
    pub(super) fn binary(&mut self, left: &Expression<'_>) {
        let inner = match left {
            Expression::TSAsExpression(it) => &it.expression,
            Expression::TSSatisfiesExpression(it) => &it.expression,
            _ => return,
        };
        let grouped =
            matches!(inner, Expression::BinaryExpression(_) | Expression::LogicalExpression(_));
        self.types.transform |= grouped;
        self.binary(inner);
    }
}

use oxc_span::GetSpan;
