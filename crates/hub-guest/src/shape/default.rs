//! `export default …` and `module.exports = …`: the function is called, a value returned.

use super::{Shaped, Target, Top, callable};
use oxc_ast::ast::*;
use oxc_span::{GetSpan, Span};

const FUNCTION: &str = "`export default` was unwrapped: its function was called, without \
    arguments, and its result returned.";
const LEFT_OUT: &str = "`export default` was left out: the code calls its function already.";
const VALUE: &str = "`export default` was unwrapped: its value was returned.";

impl<'p, 'a> Top<'p, 'a> {
    /// What the language exports, before what only looks like it: no program can hold that.
    pub(super) fn default_export(&self) -> Option<Shaped> {
        let exported = self.live.iter().enumerate().find_map(|(index, statement)| {
            let Statement::ExportDefaultDeclaration(it) = statement else { return None };
            self.left_out(index).or_else(|| self.export(it, self.is_last(index)))
        });
        exported.or_else(|| {
            self.live.iter().enumerate().find_map(|(index, statement)| {
                let Statement::ExpressionStatement(it) = statement else { return None };
                let value = self.common_js(&it.expression)?;
                let shaped = || self.value(it.span, value, self.is_last(index));
                Some(self.left_out(index).unwrap_or_else(shaped))
            })
        })
    }

    /// Whether nothing runs after this statement.
    fn is_last(&self, index: usize) -> bool {
        self.live[index + 1..].iter().all(|s| matches!(s, Statement::FunctionDeclaration(_)))
    }

    /// An export of a function that the code also calls: it must not be called twice.
    fn left_out(&self, index: usize) -> Option<Shaped> {
        let statement = self.live[index];
        let (used, blank) = match statement {
            Statement::ExportDefaultDeclaration(it) => match &it.declaration {
                ExportDefaultDeclarationKind::FunctionDeclaration(f) => {
                    let symbol = f.id.as_ref()?.symbol_id.get();
                    let target = Target { symbol, ..Target::of(f.span.start, &f.scope_id) };
                    (self.is_used(&target, 0), Span::new(it.span.start, f.span.start))
                }
                other => (self.is_exported_call(other.as_expression()?)?, it.span),
            },
            Statement::ExpressionStatement(it) => {
                (self.is_exported_call(self.common_js(&it.expression)?)?, it.span)
            }
            _ => return None,
        };
        if !used {
            return None;
        }
        let mut live = self.live.clone();
        live.remove(index);
        let rest = Top { live, ..*self };
        let mut shaped = rest.last().unwrap_or_default();
        shaped.notices.insert(0, LEFT_OUT);
        shaped.edits.blank(blank.start, blank.end);
        Some(shaped)
    }

    /// Whether an exported name is that of a function which the code uses elsewhere too.
    fn is_exported_call(&self, value: &Expression<'_>) -> Option<bool> {
        let Expression::Identifier(it) = value.get_inner_expression() else { return None };
        Some(self.is_used(&self.function_named(it.name.as_str())?, 1))
    }

    fn export(&self, it: &ExportDefaultDeclaration<'a>, last: bool) -> Option<Shaped> {
        match &it.declaration {
            ExportDefaultDeclarationKind::FunctionDeclaration(f) => {
                Some(self.function(it.span, f, last))
            }
            ExportDefaultDeclarationKind::ClassDeclaration(class) => {
                let mut shaped = Shaped { notices: vec![VALUE], ..Shaped::default() };
                shaped.edits.blank(it.span.start, class.span.start);
                if last {
                    shaped.edits.insert(class.span.start, "return ");
                } else if class.id.is_none() {
                    self.name_value(&mut shaped, class.span, false);
                }
                Some(shaped)
            }
            ExportDefaultDeclarationKind::TSInterfaceDeclaration(_) => None,
            other => Some(self.value(it.span, other.as_expression()?, last)),
        }
    }

    /// `export default function …`.
    fn function(&self, whole: Span, f: &Function<'_>, last: bool) -> Shaped {
        let calls = !f.generator;
        let mut shaped = Shaped { notices: vec![FUNCTION], ..Shaped::default() };
        shaped.called = calls.then_some(f.span.start);
        shaped.edits.blank(whole.start, f.span.start);
        match &f.id {
            Some(id) => {
                let call = if calls { "()" } else { "" };
                shaped.edits.insert(self.end(), format!(";return {}{call};", id.name));
            }
            None if last => {
                shaped.edits.insert(f.span.start, "return (");
                shaped.edits.insert(f.span.end, if calls { ")();" } else { ");" });
            }
            None => self.name_value(&mut shaped, f.span, calls),
        }
        shaped
    }

    /// `export default value` and `module.exports = value`.
    fn value(&self, whole: Span, value: &Expression<'_>, last: bool) -> Shaped {
        let span = value.span();
        let named = match value.get_inner_expression() {
            Expression::Identifier(it) if !self.is_global(it) => {
                self.function_named(it.name.as_str())
            }
            _ => None,
        };
        let called = callable(value).or(named).map(|target| target.start);
        let mut shaped = Shaped { notices: vec![VALUE], called, ..Shaped::default() };
        if called.is_some() {
            shaped.notices = vec![FUNCTION];
        }
        shaped.edits.blank(whole.start, span.start);
        if !last {
            self.name_value(&mut shaped, span, called.is_some());
        } else if called.is_some() {
            shaped.edits.insert(span.start, "return (");
            shaped.edits.insert(span.end, ")()");
        } else {
            shaped.edits.insert(span.start, "return ");
        }
        shaped
    }

    /// Keeps a value under a name until the other statements have run.
    fn name_value(&self, shaped: &mut Shaped, span: Span, call: bool) {
        let name = self.fresh();
        shaped.edits.insert(span.start, format!("const {name} = "));
        shaped.edits.insert(span.end, ";");
        let call = if call { "()" } else { "" };
        shaped.edits.insert(self.end(), format!(";return {name}{call};"));
    }

    /// The right side of `module.exports = …` where nothing is called `module`.
    fn common_js<'e>(&self, it: &'e Expression<'a>) -> Option<&'e Expression<'a>> {
        let Expression::AssignmentExpression(it) = it else { return None };
        let AssignmentTarget::StaticMemberExpression(left) = &it.left else { return None };
        let Expression::Identifier(root) = &left.object else { return None };
        let is_exports = root.name == "module" && left.property.name == "exports";
        (is_exports && it.operator == AssignmentOperator::Assign && self.is_global(root))
            .then_some(&it.right)
    }
}
