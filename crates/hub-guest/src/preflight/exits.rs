//! Whether a statement may leave the function around it before its end.

use oxc_ast::ast::*;
use oxc_ast_visit::{Visit, walk};
use oxc_syntax::scope::ScopeFlags;

/// Ways out.
#[derive(Clone, Copy, Default)]
pub struct Exits {
    pub returns: bool,
    pub throws: bool,
}

impl Exits {
    pub fn of(statement: &Statement<'_>) -> Self {
        let mut exits = Self::default();
        exits.visit_statement(statement);
        exits
    }

    pub fn of_all(statements: &[Statement<'_>]) -> Self {
        let mut exits = Self::default();
        statements.iter().for_each(|s| exits.visit_statement(s));
        exits
    }

    pub fn any(self) -> bool {
        self.returns || self.throws
    }
}

impl<'a> Visit<'a> for Exits {
    fn visit_return_statement(&mut self, _: &ReturnStatement<'a>) {
        self.returns = true;
    }

    fn visit_throw_statement(&mut self, _: &ThrowStatement<'a>) {
        self.throws = true;
    }

    fn visit_statement(&mut self, it: &Statement<'a>) {
        if !(self.returns && self.throws) {
            walk::walk_statement(self, it);
        }
    }

    // What these hold does not leave the function around them.
    fn visit_expression(&mut self, _: &Expression<'a>) {}
    fn visit_function(&mut self, _: &Function<'a>, _: ScopeFlags) {}
    fn visit_class(&mut self, _: &Class<'a>) {}
    fn visit_binding_pattern(&mut self, _: &BindingPattern<'a>) {}
}
