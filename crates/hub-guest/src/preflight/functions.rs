//! Functions of the top level that can be followed from their calls.

use oxc_ast::ast::*;
use oxc_semantic::{Scoping, SymbolId};
use std::collections::HashMap;

/// A function that is bound to a name once and for all.
#[derive(Clone, Copy)]
pub enum Named<'p, 'a> {
    Function(&'p Function<'a>),
    Arrow(&'p ArrowFunctionExpression<'a>),
}

/// The functions of the top level by their names.
pub fn top_functions<'p, 'a>(
    program: &'p Program<'a>,
    scoping: &Scoping,
) -> HashMap<SymbolId, Named<'p, 'a>> {
    let mut found = HashMap::new();
    let mut add = |id: Option<&BindingIdentifier<'_>>, named| {
        let symbol = id.and_then(|id| id.symbol_id.get());
        let fixed = |s: &SymbolId| {
            !scoping.symbol_is_mutated(*s) && scoping.symbol_redeclarations(*s).is_empty()
        };
        if let Some(symbol) = symbol.filter(fixed) {
            found.insert(symbol, named);
        }
    };
    for statement in &program.body {
        match statement {
            Statement::FunctionDeclaration(f) if !f.generator => {
                add(f.id.as_ref(), Named::Function(f));
            }
            Statement::VariableDeclaration(v) => {
                for one in &v.declarations {
                    let BindingPattern::BindingIdentifier(id) = &one.id else { continue };
                    match one.init.as_ref().map(Expression::get_inner_expression) {
                        Some(Expression::FunctionExpression(f)) if !f.generator => {
                            add(Some(id), Named::Function(f));
                        }
                        Some(Expression::ArrowFunctionExpression(f)) => {
                            add(Some(id), Named::Arrow(f));
                        }
                        _ => {}
                    }
                }
            }
            _ => {}
        }
    }
    found
}
