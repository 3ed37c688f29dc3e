//! What the parts of a call say about it.

use oxc_ast::ast::*;

/// Global, member and whether the access is optional, of `name.member` and `name["member"]`.
pub fn member_of<'e, 'a>(
    callee: &'e Expression<'a>,
) -> Option<(&'e IdentifierReference<'a>, String, bool)> {
    let (object, member, optional) = match callee.get_inner_expression() {
        Expression::StaticMemberExpression(it) => {
            (&it.object, it.property.name.to_string(), it.optional)
        }
        Expression::ComputedMemberExpression(it) => {
            let member = match it.expression.get_inner_expression() {
                Expression::StringLiteral(text) => text.value.to_string(),
                Expression::TemplateLiteral(text) if text.expressions.is_empty() => {
                    text.quasis.first()?.value.cooked?.to_string()
                }
                _ => return None,
            };
            (&it.object, member, it.optional)
        }
        _ => return None,
    };
    match object.get_inner_expression() {
        Expression::Identifier(root) => Some((root, member, optional)),
        _ => None,
    }
}

/// Whether an earlier link of the same chain is optional, so that the rest may be skipped.
pub fn may_skip(it: &Expression<'_>) -> bool {
    match it {
        Expression::CallExpression(it) => it.optional || may_skip(&it.callee),
        Expression::StaticMemberExpression(it) => it.optional || may_skip(&it.object),
        Expression::ComputedMemberExpression(it) => it.optional || may_skip(&it.object),
        Expression::TSNonNullExpression(it) => may_skip(&it.expression),
        _ => false,
    }
}

/// Whether a call deals with the failure of the promises in its object (`.catch`, a second
/// argument of `.then`), and whether of those in its arguments (`Promise.allSettled`).
pub fn handles(it: &CallExpression<'_>) -> (bool, bool) {
    let Expression::StaticMemberExpression(callee) = it.callee.get_inner_expression() else {
        return (false, false);
    };
    let is_promise = matches!(&callee.object, Expression::Identifier(it) if it.name == "Promise");
    match callee.property.name.as_str() {
        "catch" => (true, false),
        "then" => (it.arguments.len() > 1, false),
        "allSettled" | "any" => (false, is_promise),
        _ => (false, false),
    }
}
