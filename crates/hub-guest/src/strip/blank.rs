//! Finds types and puts spaces in their place.
//!
//! A space can change how lines join. Where it would, a `;` or `)` takes one of the blanked bytes,
//! or the program is transformed instead.

mod class;
mod hazard;

use super::{Types, is_erased_declaration, is_module_statement};
use crate::edit::Edits;
use crate::text::{LINE_ENDS, count, skip_trivia};
use oxc_ast::ast::*;
use oxc_ast_visit::{Visit, walk};
use oxc_span::{GetSpan, Span};
use oxc_syntax::scope::ScopeFlags;

pub fn find(program: &Program<'_>, text: &str) -> Types {
    let mut blank = Blank { text, types: Types::default() };
    if let Some(line) = &program.hashbang {
        blank.types.module.blank(line.span.start, line.span.end);
    }
    blank.visit_program(program);
    blank.types
}

struct Blank<'t> {
    text: &'t str,
    types: Types,
}

impl Blank<'_> {
    fn edits(&mut self) -> &mut Edits {
        &mut self.types.edits
    }

    fn blank(&mut self, start: u32, end: u32) {
        self.edits().blank(start, end);
    }

    fn blank_span(&mut self, span: Span) {
        self.blank(span.start, span.end);
    }

    /// A statement or class member that only declares: `;` keeps its neighbours apart.
    fn blank_whole(&mut self, span: Span) {
        self.blank_span(span);
        self.edits().mark(span.start, b';');
    }

    fn has_newline(&self, start: u32, end: u32) -> bool {
        self.text[start as usize..end as usize].contains(LINE_ENDS)
    }

    /// The first byte after `from` that is neither space nor comment.
    fn next_token(&self, from: u32) -> u32 {
        count(skip_trivia(self.text, from as usize))
    }

    fn byte(&self, at: u32) -> u8 {
        self.text.as_bytes().get(at as usize).copied().unwrap_or(0)
    }

    /// `: T` with the `?` or `!` before it; `from` is the end of the name.
    fn blank_annotation(&mut self, from: u32, annotation: &TSTypeAnnotation<'_>) {
        self.blank(self.next_token(from), annotation.span.end);
    }

    /// Parameters of any function: types, `?`, `this`.
    fn blank_params(&mut self, this: Option<&TSThisParameter<'_>>, it: &FormalParameters<'_>) {
        if let Some(this) = this {
            let next = self.next_token(this.span.end);
            let end = if self.byte(next) == b',' { next + 1 } else { this.span.end };
            self.blank(this.span.start, end);
        }
        for one in &it.items {
            if one.accessibility.is_some() || one.readonly || one.r#override {
                self.types.transform = true;
            }
            let end = one.pattern.span().end;
            match &one.type_annotation {
                Some(annotation) => self.blank_annotation(end, annotation),
                None if one.optional => {
                    let mark = self.next_token(end);
                    self.blank(mark, mark + 1);
                }
                None => {}
            }
        }
        if let Some(annotation) = it.rest.as_ref().and_then(|r| r.type_annotation.as_ref()) {
            self.blank_span(annotation.span);
        }
    }

    fn type_arguments(&mut self, it: Option<&TSTypeParameterInstantiation<'_>>) {
        if let Some(it) = it {
            self.blank_span(it.span);
        }
    }

    fn type_parameters(&mut self, it: Option<&TSTypeParameterDeclaration<'_>>) {
        if let Some(it) = it {
            self.blank_span(it.span);
        }
    }
}

impl<'a> Visit<'a> for Blank<'_> {
    fn visit_statement(&mut self, it: &Statement<'a>) {
        if is_module_statement(it) {
            let span = it.span();
            self.types.module.blank(span.start, span.end);
            self.types.module.mark(span.start, b';');
        } else if it.as_declaration().is_some_and(is_erased_declaration) {
            self.blank_whole(it.span());
        } else {
            walk::walk_statement(self, it);
        }
    }

    fn visit_ts_enum_declaration(&mut self, _: &TSEnumDeclaration<'a>) {
        self.types.transform = true;
    }

    fn visit_ts_namespace_declaration(&mut self, _: &TSNamespaceDeclaration<'a>) {
        self.types.transform = true;
    }

    fn visit_ts_import_equals_declaration(&mut self, _: &TSImportEqualsDeclaration<'a>) {
        self.types.transform = true;
    }

    fn visit_variable_declarator(&mut self, it: &VariableDeclarator<'a>) {
        if let Some(annotation) = &it.type_annotation {
            self.blank_annotation(it.id.span().end, annotation);
        }
        walk::walk_variable_declarator(self, it);
    }

    fn visit_catch_parameter(&mut self, it: &CatchParameter<'a>) {
        if let Some(annotation) = &it.type_annotation {
            self.blank_span(annotation.span);
        }
        walk::walk_catch_parameter(self, it);
    }

    fn visit_function(&mut self, it: &Function<'a>, flags: ScopeFlags) {
        self.type_parameters(it.type_parameters.as_deref());
        self.blank_params(it.this_param.as_deref(), &it.params);
        if let Some(annotation) = &it.return_type {
            self.blank_span(annotation.span);
        }
        walk::walk_function(self, it, flags);
    }

    fn visit_arrow_function_expression(&mut self, it: &ArrowFunctionExpression<'a>) {
        self.arrow(it);
        walk::walk_arrow_function_expression(self, it);
    }

    fn visit_class(&mut self, it: &Class<'a>) {
        self.class_head(it);
        walk::walk_class(self, it);
    }

    fn visit_class_element(&mut self, it: &ClassElement<'a>) {
        if !self.class_member(it) {
            walk::walk_class_element(self, it);
        }
    }

    fn visit_call_expression(&mut self, it: &CallExpression<'a>) {
        self.type_arguments(it.type_arguments.as_deref());
        walk::walk_call_expression(self, it);
    }

    fn visit_new_expression(&mut self, it: &NewExpression<'a>) {
        self.type_arguments(it.type_arguments.as_deref());
        walk::walk_new_expression(self, it);
    }

    fn visit_tagged_template_expression(&mut self, it: &TaggedTemplateExpression<'a>) {
        self.type_arguments(it.type_arguments.as_deref());
        walk::walk_tagged_template_expression(self, it);
    }

    fn visit_ts_instantiation_expression(&mut self, it: &TSInstantiationExpression<'a>) {
        self.types.transform = true;
        walk::walk_ts_instantiation_expression(self, it);
    }

    fn visit_binary_expression(&mut self, it: &BinaryExpression<'a>) {
        self.binary(&it.left);
        walk::walk_binary_expression(self, it);
    }

    fn visit_logical_expression(&mut self, it: &LogicalExpression<'a>) {
        self.binary(&it.left);
        walk::walk_logical_expression(self, it);
    }

    fn visit_expression_statement(&mut self, it: &ExpressionStatement<'a>) {
        self.directive(&it.expression);
        walk::walk_expression_statement(self, it);
    }

    fn visit_ts_as_expression(&mut self, it: &TSAsExpression<'a>) {
        self.after_value(it.expression.span().end, it.span.end);
        self.visit_expression(&it.expression);
    }

    fn visit_ts_satisfies_expression(&mut self, it: &TSSatisfiesExpression<'a>) {
        self.after_value(it.expression.span().end, it.span.end);
        self.visit_expression(&it.expression);
    }

    fn visit_ts_non_null_expression(&mut self, it: &TSNonNullExpression<'a>) {
        self.blank(it.expression.span().end, it.span.end);
        self.visit_expression(&it.expression);
    }

    fn visit_ts_type_assertion(&mut self, it: &TSTypeAssertion<'a>) {
        self.assertion(it);
        self.visit_expression(&it.expression);
    }

    // Types hold nothing that stays.
    fn visit_ts_type_annotation(&mut self, _: &TSTypeAnnotation<'a>) {}
    fn visit_ts_type(&mut self, _: &TSType<'a>) {}
    fn visit_ts_type_parameter_declaration(&mut self, _: &TSTypeParameterDeclaration<'a>) {}
    fn visit_ts_type_parameter_instantiation(&mut self, _: &TSTypeParameterInstantiation<'a>) {}
    fn visit_ts_this_parameter(&mut self, _: &TSThisParameter<'a>) {}
    fn visit_ts_class_implements(&mut self, _: &TSClassImplements<'a>) {}
}
