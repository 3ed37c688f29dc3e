//! TypeScript to JavaScript: types become spaces, so that lines and columns stay; what is more
//! than types is transformed, with a map.

mod blank;
mod places;
mod transform;

use crate::edit::Edits;
use oxc_ast::ast::*;
pub use transform::transform;

/// What the types of a program need.
#[derive(Default)]
pub struct Types {
    /// Spaces instead of types; statements that only declare become `;`.
    pub edits: Edits,
    /// The same for `import type` and the like alone; needed before a transform.
    pub module: Edits,
    /// Whether spaces are not enough: enums, namespaces, parameter properties, awkward line ends.
    pub transform: bool,
}

/// Finds every piece of TypeScript.
pub fn types(program: &Program<'_>, text: &str) -> Types {
    blank::find(program, text)
}

/// Whether nothing of a declaration exists when the program runs.
pub fn is_erased_declaration(it: &Declaration<'_>) -> bool {
    match it {
        Declaration::TSTypeAliasDeclaration(_)
        | Declaration::TSInterfaceDeclaration(_)
        | Declaration::TSExternalModuleDeclaration(_)
        | Declaration::TSGlobalDeclaration(_) => true,
        Declaration::VariableDeclaration(it) => it.declare,
        Declaration::FunctionDeclaration(it) => it.declare || it.body.is_none(),
        Declaration::ClassDeclaration(it) => it.declare,
        Declaration::TSEnumDeclaration(it) => it.declare,
        Declaration::TSNamespaceDeclaration(it) => it.declare,
        Declaration::TSImportEqualsDeclaration(it) => it.import_kind == ImportOrExportKind::Type,
    }
}

/// Whether an import brings in types only.
pub fn is_type_import(it: &ImportDeclaration<'_>) -> bool {
    it.import_kind == ImportOrExportKind::Type
        || it.specifiers.as_ref().is_some_and(|all| {
            !all.is_empty()
                && all.iter().all(|one| {
                    matches!(one, ImportDeclarationSpecifier::ImportSpecifier(s)
                        if s.import_kind == ImportOrExportKind::Type)
                })
        })
}

/// Whether a statement belongs to a module's face and holds types only (the rest is refused).
pub fn is_module_statement(it: &Statement<'_>) -> bool {
    matches!(
        it,
        Statement::ImportDeclaration(_)
            | Statement::ExportAllDeclaration(_)
            | Statement::ExportNamedDeclaration(_)
            | Statement::ExportFromDeclaration(_)
            | Statement::ExportDeclaration(_)
            | Statement::TSNamespaceExportDeclaration(_)
    ) || matches!(it, Statement::ExportDefaultDeclaration(it)
        if matches!(it.declaration, ExportDefaultDeclarationKind::TSInterfaceDeclaration(_)))
}

/// Whether nothing of a statement exists when the program runs.
pub fn is_erased(it: &Statement<'_>) -> bool {
    is_module_statement(it)
        || match it {
            Statement::EmptyStatement(_) => true,
            _ => it.as_declaration().is_some_and(is_erased_declaration),
        }
}
