//! Where the body of a function is laxer than the module as which code is parsed.

use oxc_diagnostics::OxcDiagnostic;
use oxc_semantic::Scoping;
use oxc_syntax::symbol::SymbolFlags;

/// Whether a finding is about `var` and functions of one name at the top level, which a function
/// body may have.
pub fn is_allowed(found: &OxcDiagnostic, scoping: &Scoping) -> bool {
    let name = found
        .message
        .strip_prefix("Identifier `")
        .and_then(|rest| rest.strip_suffix("` has already been declared"));
    let Some(name) = name else { return false };
    let symbol = scoping.symbol_ids().find(|s| {
        scoping.symbol_scope_id(*s) == scoping.root_scope_id() && scoping.symbol_name(*s) == name
    });
    let hoisted = SymbolFlags::FunctionScopedVariable
        | SymbolFlags::Function
        | SymbolFlags::AsyncOrGeneratorFunction;
    symbol.is_some_and(|symbol| {
        let again = scoping.symbol_redeclarations(symbol);
        let place = found.labels.last().map(|label| label.offset());
        hoisted.contains(scoping.symbol_flags(symbol))
            && again.iter().any(|one| Some(one.span.start) == place)
    })
}
