//! A program that ends with a value instead of returning it.

use super::{Shaped, Top};
use oxc_ast::ast::*;
use oxc_ast_visit::{Visit, walk};
use oxc_span::{GetSpan, Span};
use oxc_syntax::scope::ScopeFlags;

const RETURNED: &str = "The code had no `return`; the value of its last expression was returned.";

impl Top<'_, '_> {
    pub(super) fn last(&self) -> Option<Shaped> {
        let mut shaped = Shaped { notices: vec![RETURNED], ..Shaped::default() };
        if let Some(object) = self.last_object() {
            shaped.edits.insert(object.start, "return (");
            shaped.edits.insert(object.end, ")");
        } else {
            shaped.edits.insert(self.last_value()?, "return ");
        }
        Some(shaped)
    }

    /// A last block that reads like an object: `{ a: 1 }` and `{ a, b }` do nothing as blocks.
    fn last_object(&self) -> Option<Span> {
        let Statement::BlockStatement(block) = self.live.last()? else { return None };
        let [only] = block.body.as_slice() else { return None };
        let expression = match only {
            Statement::LabeledStatement(it) => match &it.body {
                Statement::ExpressionStatement(value) => value,
                _ => return None,
            },
            Statement::ExpressionStatement(it) if is_names(&it.expression) => it,
            _ => return None,
        };
        let ends = expression.span.end == expression.expression.span().end;
        // `{ a: 1, b }` is an object, `{ a: 1, 2 }` is none.
        let members = match &expression.expression {
            Expression::SequenceExpression(it) => it.expressions.iter().skip(1).all(is_name),
            _ => true,
        };
        (ends && members && !returns(self.program)).then_some(block.span)
    }

    fn last_value(&self) -> Option<u32> {
        let ran = |s: &&&Statement<'_>| !matches!(s, Statement::FunctionDeclaration(_));
        let Some(last) = self.live.iter().rev().find(ran) else {
            let text = self.program.directives.last()?;
            return (self.live.is_empty() && text.directive != "use strict")
                .then_some(text.span.start);
        };
        let Statement::ExpressionStatement(last) = last else { return None };
        (self.is_value(&last.expression) && !returns(self.program))
            .then_some(last.expression.span().start)
    }

    /// Whether an expression is written for its value rather than for what it does.
    fn is_value(&self, it: &Expression<'_>) -> bool {
        match it.get_inner_expression() {
            Expression::AssignmentExpression(_) | Expression::UpdateExpression(_) => false,
            Expression::UnaryExpression(it) => {
                !matches!(it.operator, UnaryOperator::Void | UnaryOperator::Delete)
            }
            Expression::CallExpression(it) => !self.is_deed(&it.callee),
            _ => true,
        }
    }

    /// Calls whose value nobody means: logging, timers, filling a list.
    fn is_deed(&self, callee: &Expression<'_>) -> bool {
        match callee.get_inner_expression() {
            Expression::Identifier(it) => {
                let timer = ["setTimeout", "clearTimeout", "queueMicrotask"];
                timer.contains(&it.name.as_str()) && self.is_global(it)
            }
            Expression::StaticMemberExpression(it) => {
                let name = it.property.name.as_str();
                match it.object.get_inner_expression() {
                    Expression::Identifier(root) if self.is_global(root) => root.name == "console",
                    _ => matches!(name, "forEach" | "push" | "unshift"),
                }
            }
            _ => false,
        }
    }
}

/// `a` or `a, b`.
fn is_names(it: &Expression<'_>) -> bool {
    match it {
        Expression::SequenceExpression(it) => it.expressions.iter().all(is_name),
        other => is_name(other),
    }
}

fn is_name(it: &Expression<'_>) -> bool {
    matches!(it, Expression::Identifier(_))
}

/// Whether the program itself, outside of its functions, returns.
fn returns(program: &Program<'_>) -> bool {
    let mut walk = Returns(false);
    walk.visit_program(program);
    walk.0
}

struct Returns(bool);

impl<'a> Visit<'a> for Returns {
    fn visit_return_statement(&mut self, _: &ReturnStatement<'a>) {
        self.0 = true;
    }

    fn visit_statement(&mut self, it: &Statement<'a>) {
        if !self.0 {
            walk::walk_statement(self, it);
        }
    }

    // A `return` inside of these is not the program's.
    fn visit_expression(&mut self, _: &Expression<'a>) {}
    fn visit_function(&mut self, _: &Function<'a>, _: ScopeFlags) {}
    fn visit_class(&mut self, _: &Class<'a>) {}
    fn visit_binding_pattern(&mut self, _: &BindingPattern<'a>) {}
}
