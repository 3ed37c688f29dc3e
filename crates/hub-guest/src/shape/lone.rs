//! A program that only declares a function, and never calls it.

use super::{Shaped, Top, callable};
use oxc_ast::ast::*;
use oxc_span::GetSpan;

const CALLED: &str = "The code was one function that nothing called; it was called, without \
    arguments, and its result returned.";

/// Names under which models write the function that they mean to run.
const MAIN: [&str; 6] = ["main", "run", "execute", "handler", "script", "program"];

impl Top<'_, '_> {
    pub(super) fn lone(&self) -> Option<Shaped> {
        if let [one] = self.live.as_slice() {
            return self.lone_statement(one);
        }
        let name = self.uncalled_main()?;
        let called = self.function_named(name).map(|target| target.start);
        let mut shaped = Shaped { notices: vec![CALLED], called, ..Shaped::default() };
        shaped.edits.insert(self.end(), format!(";return {name}();"));
        Some(shaped)
    }

    fn lone_statement(&self, one: &Statement<'_>) -> Option<Shaped> {
        let mut shaped = Shaped { notices: vec![CALLED], ..Shaped::default() };
        match one {
            Statement::ExpressionStatement(it) => {
                shaped.called = Some(callable(&it.expression)?.start);
                let span = it.expression.span();
                shaped.edits.insert(span.start, "return (");
                shaped.edits.insert(span.end, ")()");
            }
            Statement::FunctionDeclaration(it) if !it.generator => {
                let name = it.id.as_ref()?.name;
                shaped.called = Some(it.span.start);
                shaped.edits.insert(it.span.end, format!(";return {name}();"));
            }
            Statement::VariableDeclaration(it) => {
                let [only] = it.declarations.as_slice() else { return None };
                let name = only.id.get_binding_identifier()?.name;
                shaped.called = Some(callable(only.init.as_ref()?)?.start);
                shaped.edits.insert(it.span.end, format!(";return {name}();"));
            }
            _ => return None,
        }
        Some(shaped)
    }

    /// The main function of a program of nothing but functions, if no code names it.
    fn uncalled_main(&self) -> Option<&str> {
        let mut main = None;
        for statement in &self.live {
            let id = match statement {
                Statement::FunctionDeclaration(it) => it.id.as_ref()?,
                Statement::VariableDeclaration(it) => {
                    let [only] = it.declarations.as_slice() else { return None };
                    callable(only.init.as_ref()?)?;
                    match &only.id {
                        BindingPattern::BindingIdentifier(id) => id,
                        _ => return None,
                    }
                }
                _ => return None,
            };
            let unused = self.scoping.get_resolved_reference_ids(id.symbol_id()).is_empty();
            if MAIN.contains(&id.name.as_str()) && unused && main.replace(id.name).is_some() {
                return None;
            }
        }
        let name = main?.as_str();
        self.function_named(name).map(|_| name)
    }
}
