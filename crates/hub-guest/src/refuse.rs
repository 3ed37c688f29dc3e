//! What parses but has no place in a program: modules, decorators, syntax the engine lacks.
//!
//! This is the first walk over the tree, so it also bounds the depth of every later one.

use crate::fault::Fault;
use oxc_ast::ast::*;
use oxc_ast_visit::{Visit, walk};
use oxc_span::{GetSpan, Span};

/// Expressions, statements and types inside one another.
const TREE_DEPTH: usize = 12_000;

/// Functions inside the parameter lists of functions. Names in there are looked up once per list
/// around them.
const PARAMETER_DEPTH: usize = 16;

const SPLIT: &str = "Split it into smaller statements, or build the value in a loop.";

const NO_IMPORT: &str = "Connected sources are globals already: call them, such as \
    `await github.createIssue({ … })`. Find tools with search; nothing else can be loaded.";

/// The first thing that cannot be in a program.
pub fn check(program: &Program<'_>) -> Result<(), Fault> {
    let text = program.source_text;
    let mut walk =
        Refuse { text, depth: 0, parameters: 0, namespaces: 0, exported: false, found: None };
    walk.visit_program(program);
    walk.found.map_or(Ok(()), Err)
}

struct Refuse<'t> {
    text: &'t str,
    depth: usize,
    parameters: usize,
    /// Namespaces around; they export to the program, not out of it.
    namespaces: usize,
    /// Whether there was an `export default` of a value.
    exported: bool,
    found: Option<Fault>,
}

impl Refuse<'_> {
    fn refuse(&mut self, span: Span, message: &str, hint: &str) {
        if self.found.is_none() {
            self.found = Some(Fault::new(message).at(span.start).hint(hint));
        }
    }

    /// Walks on unless the tree is too deep.
    fn deeper(&mut self, span: Span, walk: impl FnOnce(&mut Self)) {
        if self.depth >= TREE_DEPTH {
            self.refuse(span, "The code is nested too deeply.", SPLIT);
            return;
        }
        self.depth += 1;
        walk(self);
        self.depth -= 1;
    }

    fn refuse_export(&mut self, span: Span) {
        self.refuse(
            span,
            "Nothing can be exported here: the code is the body of a function.",
            "Remove `export`, and return what you need.",
        );
    }

    fn refuse_import(&mut self, span: Span) {
        self.refuse(span, "Nothing can be imported here.", NO_IMPORT);
    }
}

impl<'a> Visit<'a> for Refuse<'_> {
    fn visit_expression(&mut self, it: &Expression<'a>) {
        match it {
            Expression::ImportExpression(it) => self.refuse_import(it.span),
            Expression::ImportMeta(it) => self.refuse(
                it.span,
                "`import.meta` does not exist here: the code is no module.",
                NO_IMPORT,
            ),
            _ => self.deeper(it.span(), |v| walk::walk_expression(v, it)),
        }
    }

    fn visit_formal_parameters(&mut self, it: &FormalParameters<'a>) {
        if self.parameters >= PARAMETER_DEPTH {
            self.refuse(it.span, "Parameters are nested too deeply.", SPLIT);
            return;
        }
        self.parameters += 1;
        walk::walk_formal_parameters(self, it);
        self.parameters -= 1;
    }

    fn visit_statement(&mut self, it: &Statement<'a>) {
        self.deeper(it.span(), |v| walk::walk_statement(v, it));
    }

    fn visit_ts_type(&mut self, it: &TSType<'a>) {
        self.deeper(it.span(), |v| walk::walk_ts_type(v, it));
    }

    fn visit_ts_type_name(&mut self, it: &TSTypeName<'a>) {
        self.deeper(it.span(), |v| walk::walk_ts_type_name(v, it));
    }

    fn visit_ts_namespace_declaration(&mut self, it: &TSNamespaceDeclaration<'a>) {
        if !it.declare {
            self.namespaces += 1;
            self.deeper(it.span, |v| walk::walk_ts_namespace_declaration(v, it));
            self.namespaces -= 1;
        }
    }

    fn visit_ts_external_module_declaration(&mut self, _: &TSExternalModuleDeclaration<'a>) {}
    fn visit_ts_global_declaration(&mut self, _: &TSGlobalDeclaration<'a>) {}

    fn visit_import_declaration(&mut self, it: &ImportDeclaration<'a>) {
        if !crate::strip::is_type_import(it) {
            self.refuse_import(it.span);
        }
    }

    fn visit_ts_import_equals_declaration(&mut self, it: &TSImportEqualsDeclaration<'a>) {
        let module = matches!(it.module_reference, TSModuleReference::ExternalModuleReference(_));
        if module && it.import_kind == ImportOrExportKind::Value {
            self.refuse_import(it.span);
        }
    }

    fn visit_export_all_declaration(&mut self, it: &ExportAllDeclaration<'a>) {
        if it.export_kind == ImportOrExportKind::Value {
            self.refuse_import(it.span);
        }
    }

    fn visit_export_from_declaration(&mut self, it: &ExportFromDeclaration<'a>) {
        let types = it.export_kind == ImportOrExportKind::Type
            || it.specifiers.iter().all(|s| s.export_kind == ImportOrExportKind::Type);
        if !types {
            self.refuse_import(it.span);
        }
    }

    fn visit_export_named_declaration(&mut self, it: &ExportNamedDeclaration<'a>) {
        let types = it.export_kind == ImportOrExportKind::Type
            || it.specifiers.iter().all(|s| s.export_kind == ImportOrExportKind::Type);
        if !types {
            self.refuse_export(it.span);
        }
    }

    fn visit_export_declaration(&mut self, it: &ExportDeclaration<'a>) {
        if self.namespaces > 0 {
            walk::walk_export_declaration(self, it);
        } else if !crate::strip::is_erased_declaration(&it.declaration) {
            self.refuse_export(it.span);
        }
    }

    fn visit_export_default_declaration(&mut self, it: &ExportDefaultDeclaration<'a>) {
        let is_type = match &it.declaration {
            ExportDefaultDeclarationKind::TSInterfaceDeclaration(_) => true,
            // One of the types of a function that follows.
            ExportDefaultDeclarationKind::FunctionDeclaration(f) => f.body.is_none(),
            _ => false,
        };
        if !is_type && std::mem::replace(&mut self.exported, true) {
            self.refuse(
                it.span,
                "There is an `export default` already; a program has one result.",
                "Keep the one that is meant, and remove the other.",
            );
        }
        walk::walk_export_default_declaration(self, it);
    }

    fn visit_ts_export_assignment(&mut self, it: &TSExportAssignment<'a>) {
        self.refuse_export(it.span);
    }

    fn visit_binary_expression(&mut self, it: &BinaryExpression<'a>) {
        // The engine compiles a script, where this opens a comment.
        let (left, right) = (it.left.span().end as usize, it.right.span().start as usize);
        let between = self.text.get(left..right).unwrap_or_default();
        let opens = between.ends_with('<') && self.text[right..].starts_with("!--");
        if it.operator == BinaryOperator::LessThan && opens {
            let at = it.right.span().start - 1;
            self.refuse(
                Span::new(at, at + 4),
                "`<!--` opens a comment in scripts.",
                "Put a space after the `<`.",
            );
        }
        walk::walk_binary_expression(self, it);
    }

    fn visit_decorator(&mut self, it: &Decorator<'a>) {
        self.refuse(
            it.span,
            "Decorators are not supported.",
            "Remove the decorator, or call the function that it would call.",
        );
    }

    fn visit_accessor_property(&mut self, it: &AccessorProperty<'a>) {
        self.refuse(
            it.span,
            "`accessor` fields are not supported.",
            "Use a plain field, or `get` and `set` methods.",
        );
    }

    fn visit_variable_declaration(&mut self, it: &VariableDeclaration<'a>) {
        use VariableDeclarationKind::{AwaitUsing, Using};
        if matches!(it.kind, Using | AwaitUsing) {
            self.refuse(
                it.span,
                "`using` declarations are not supported.",
                "Use `const`, and `try … finally` where something must be released.",
            );
        }
        walk::walk_variable_declaration(self, it);
    }
}
