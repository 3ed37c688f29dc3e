//! Finds calls on globals, and which of them surely run.
//!
//! Sure means: reached whenever nothing before throws. Branches, bodies of loops, `try`, right
//! sides of `&&` and functions that nothing surely calls are not.

use super::calls::{handles, may_skip, member_of};
use super::functions::{Named, top_functions};
use super::{Call, argument};
use crate::preflight::exits::Exits;
use oxc_ast::ast::*;
use oxc_ast_visit::{Visit, walk};
use oxc_semantic::{Scoping, SymbolId};
use oxc_syntax::scope::ScopeFlags;
use oxc_syntax::symbol::SymbolFlags;
use std::collections::{BTreeMap, HashMap};

/// The calls of a program in the order of the text. `called` is the function that a rewrite of
/// the shape calls.
pub fn find(program: &Program<'_>, scoping: &Scoping, called: Option<u32>) -> Vec<Call> {
    let functions = top_functions(program, scoping);
    let mut walk = Walk {
        scoping,
        functions,
        called,
        sure: true,
        entered: Vec::new(),
        calls: BTreeMap::new(),
    };
    walk.visit_program(program);
    walk.calls.into_values().collect()
}

struct Walk<'p, 'a> {
    scoping: &'p Scoping,
    functions: HashMap<SymbolId, Named<'p, 'a>>,
    called: Option<u32>,
    sure: bool,
    /// Functions that were entered through a sure call; each once.
    entered: Vec<u32>,
    /// By place; a call that is seen twice is sure if it was once.
    calls: BTreeMap<u32, Call>,
}

impl<'a> Walk<'_, 'a> {
    /// Walks what may not run.
    fn perhaps(&mut self, walk: impl FnOnce(&mut Self)) {
        let sure = std::mem::replace(&mut self.sure, false);
        walk(self);
        self.sure = sure;
    }

    /// Walks a statement that may not run; what follows is sure only if it cannot leave.
    fn branch(&mut self, it: &Statement<'a>) {
        let leaves = self.sure && Exits::of(it).any();
        self.perhaps(|w| w.visit_statement(it));
        self.sure &= !leaves;
    }

    /// Whether a name is global, or only declared to be.
    fn is_global(&self, it: &IdentifierReference<'_>) -> bool {
        let id = it.reference_id.get();
        let symbol = id.and_then(|id| self.scoping.get_reference(id).symbol_id());
        symbol.is_none_or(|s| self.scoping.symbol_flags(s).contains(SymbolFlags::Ambient))
    }

    /// Walks the body of a function that is called here.
    fn enter(&mut self, start: u32, statements: &[Statement<'a>], params: &FormalParameters<'a>) {
        if !self.sure || self.entered.contains(&start) {
            return;
        }
        self.entered.push(start);
        self.visit_formal_parameters(params);
        let throws = Exits::of_all(statements).throws;
        statements.iter().for_each(|s| self.visit_statement(s));
        self.sure = !throws;
    }

    fn enter_function(&mut self, it: &Function<'a>) {
        if let Some(body) = &it.body
            && !it.generator
        {
            self.enter(it.span.start, &body.statements, &it.params);
        }
    }

    fn enter_arrow(&mut self, it: &ArrowFunctionExpression<'a>) {
        match &it.body {
            ArrowFunctionBody::FunctionBody(body) => {
                self.enter(it.span.start, &body.statements, &it.params);
            }
            other => {
                let entered = self.entered.contains(&it.span.start);
                if let (true, false, Some(value)) = (self.sure, entered, other.as_expression()) {
                    self.entered.push(it.span.start);
                    self.visit_expression(value);
                }
            }
        }
    }

    /// Walks into the function that a call surely calls, if it is known.
    fn enter_callee(&mut self, callee: &Expression<'a>) {
        match callee.get_inner_expression() {
            Expression::FunctionExpression(it) => self.enter_function(it),
            Expression::ArrowFunctionExpression(it) => self.enter_arrow(it),
            Expression::Identifier(it) => {
                let id = it.reference_id.get();
                let symbol = id.and_then(|id| self.scoping.get_reference(id).symbol_id());
                match symbol.and_then(|s| self.functions.get(&s).copied()) {
                    Some(Named::Function(f)) => self.enter_function(f),
                    Some(Named::Arrow(f)) => self.enter_arrow(f),
                    None => {}
                }
            }
            _ => {}
        }
    }

    /// Notes a call of `name.member` where the name is global.
    fn note(&mut self, it: &CallExpression<'a>, sure: bool) {
        let Some((root, member, optional)) = member_of(&it.callee) else { return };
        if !self.is_global(root) {
            return;
        }
        let start = root.span.start;
        let sure = sure && !optional;
        if let Some(call) = self.calls.get_mut(&start) {
            call.sure |= sure;
            return;
        }
        let argument = argument::first(&it.arguments);
        let root = root.name.to_string();
        self.calls.insert(start, Call { root, member, sure, argument, at: start });
    }
}

impl<'a> Visit<'a> for Walk<'_, 'a> {
    fn visit_call_expression(&mut self, it: &CallExpression<'a>) {
        let sure = self.sure && !it.optional && !may_skip(&it.callee);
        self.note(it, sure);
        let (object, arguments) = handles(it);
        if object {
            self.perhaps(|w| w.visit_expression(&it.callee));
        } else {
            self.visit_expression(&it.callee);
        }
        if !sure || arguments {
            self.perhaps(|w| w.visit_arguments(&it.arguments));
        } else {
            self.visit_arguments(&it.arguments);
            self.enter_callee(&it.callee);
        }
    }

    fn visit_function(&mut self, it: &Function<'a>, flags: ScopeFlags) {
        if self.called == Some(it.span.start) {
            let sure = self.sure;
            self.enter_function(it);
            self.sure = sure;
        }
        self.perhaps(|w| walk::walk_function(w, it, flags));
    }

    fn visit_arrow_function_expression(&mut self, it: &ArrowFunctionExpression<'a>) {
        if self.called == Some(it.span.start) {
            let sure = self.sure;
            self.enter_arrow(it);
            self.sure = sure;
        }
        self.perhaps(|w| walk::walk_arrow_function_expression(w, it));
    }

    fn visit_class(&mut self, it: &Class<'a>) {
        self.perhaps(|w| walk::walk_class(w, it));
    }

    fn visit_return_statement(&mut self, it: &ReturnStatement<'a>) {
        walk::walk_return_statement(self, it);
        self.sure = false;
    }

    fn visit_throw_statement(&mut self, it: &ThrowStatement<'a>) {
        walk::walk_throw_statement(self, it);
        self.sure = false;
    }

    fn visit_if_statement(&mut self, it: &IfStatement<'a>) {
        self.visit_expression(&it.test);
        let sure = self.sure;
        self.branch(&it.consequent);
        let after = self.sure;
        self.sure = sure;
        if let Some(other) = &it.alternate {
            self.branch(other);
        }
        self.sure &= after;
    }

    fn visit_for_statement(&mut self, it: &ForStatement<'a>) {
        if let Some(init) = &it.init {
            self.visit_for_statement_init(init);
        }
        if let Some(test) = &it.test {
            self.visit_expression(test);
        }
        if let Some(update) = &it.update {
            self.perhaps(|w| w.visit_expression(update));
        }
        self.branch(&it.body);
    }

    fn visit_for_in_statement(&mut self, it: &ForInStatement<'a>) {
        self.visit_expression(&it.right);
        self.branch(&it.body);
    }

    fn visit_for_of_statement(&mut self, it: &ForOfStatement<'a>) {
        self.visit_expression(&it.right);
        self.branch(&it.body);
    }

    fn visit_while_statement(&mut self, it: &WhileStatement<'a>) {
        self.visit_expression(&it.test);
        self.branch(&it.body);
    }

    fn visit_do_while_statement(&mut self, it: &DoWhileStatement<'a>) {
        self.branch(&it.body);
        self.perhaps(|w| w.visit_expression(&it.test));
    }

    fn visit_labeled_statement(&mut self, it: &LabeledStatement<'a>) {
        self.branch(&it.body);
    }

    fn visit_switch_statement(&mut self, it: &SwitchStatement<'a>) {
        self.visit_expression(&it.discriminant);
        let leaves = self.sure && it.cases.iter().any(|c| Exits::of_all(&c.consequent).any());
        self.perhaps(|w| w.visit_switch_cases(&it.cases));
        self.sure &= !leaves;
    }

    fn visit_try_statement(&mut self, it: &TryStatement<'a>) {
        let mut exits = Exits::default();
        if self.sure {
            exits.visit_try_statement(it);
        }
        self.perhaps(|w| walk::walk_try_statement(w, it));
        self.sure &= !exits.any();
    }

    fn visit_logical_expression(&mut self, it: &LogicalExpression<'a>) {
        self.visit_expression(&it.left);
        self.perhaps(|w| w.visit_expression(&it.right));
    }

    fn visit_conditional_expression(&mut self, it: &ConditionalExpression<'a>) {
        self.visit_expression(&it.test);
        self.perhaps(|w| {
            w.visit_expression(&it.consequent);
            w.visit_expression(&it.alternate);
        });
    }

    fn visit_assignment_expression(&mut self, it: &AssignmentExpression<'a>) {
        self.visit_assignment_target(&it.left);
        if it.operator.is_logical() {
            self.perhaps(|w| w.visit_expression(&it.right));
        } else {
            self.visit_expression(&it.right);
        }
    }

    fn visit_computed_member_expression(&mut self, it: &ComputedMemberExpression<'a>) {
        self.visit_expression(&it.object);
        if it.optional || may_skip(&it.object) {
            self.perhaps(|w| w.visit_expression(&it.expression));
        } else {
            self.visit_expression(&it.expression);
        }
    }

    // Defaults run only where a value is missing.
    fn visit_assignment_pattern(&mut self, it: &AssignmentPattern<'a>) {
        self.visit_binding_pattern(&it.left);
        self.perhaps(|w| w.visit_expression(&it.right));
    }

    fn visit_formal_parameter(&mut self, it: &FormalParameter<'a>) {
        self.perhaps(|w| walk::walk_formal_parameter(w, it));
    }

    fn visit_assignment_target_with_default(&mut self, it: &AssignmentTargetWithDefault<'a>) {
        self.perhaps(|w| walk::walk_assignment_target_with_default(w, it));
    }

    fn visit_assignment_target_property_identifier(
        &mut self,
        it: &AssignmentTargetPropertyIdentifier<'a>,
    ) {
        self.perhaps(|w| walk::walk_assignment_target_property_identifier(w, it));
    }

    // Declarations of types run nothing; enums and namespaces hold no calls that matter.
    fn visit_ts_type(&mut self, _: &TSType<'a>) {}
    fn visit_ts_type_annotation(&mut self, _: &TSTypeAnnotation<'a>) {}
    fn visit_ts_type_parameter_declaration(&mut self, _: &TSTypeParameterDeclaration<'a>) {}
    fn visit_ts_type_parameter_instantiation(&mut self, _: &TSTypeParameterInstantiation<'a>) {}
    fn visit_ts_interface_declaration(&mut self, _: &TSInterfaceDeclaration<'a>) {}
    fn visit_ts_enum_declaration(&mut self, _: &TSEnumDeclaration<'a>) {}
    fn visit_ts_namespace_declaration(&mut self, it: &TSNamespaceDeclaration<'a>) {
        self.perhaps(|w| walk::walk_ts_namespace_declaration(w, it));
    }
    fn visit_ts_external_module_declaration(&mut self, _: &TSExternalModuleDeclaration<'a>) {}
    fn visit_ts_global_declaration(&mut self, _: &TSGlobalDeclaration<'a>) {}
}
