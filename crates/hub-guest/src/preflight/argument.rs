//! What can be known of an argument without running.

use oxc_ast::ast::{
    self, ArrayExpression, Expression, ObjectExpression, ObjectProperty, ObjectPropertyKind,
    PropertyKey, PropertyKind, UnaryOperator,
};
use serde_json::{Map, Number, Value};

/// Largest integer that a JavaScript number holds exactly.
const MAX_SAFE: f64 = 9_007_199_254_740_991.0;

/// The first argument of a call.
#[derive(Debug)]
pub enum Argument {
    /// Nothing is known.
    Unknown,
    /// A value, whole or in part.
    Known(Known),
}

/// A value of which some parts may be unknown.
#[derive(Debug, Default)]
pub struct Known {
    /// Unknown parts are null here.
    pub value: Value,
    /// Paths of unknown parts.
    pub holes: Vec<Path>,
    /// Paths of objects that may have further keys.
    pub open: Vec<Path>,
}

/// Keys and indices from the argument inwards, as text.
pub type Path = Vec<String>;

impl Known {
    /// Whether every part is known.
    pub fn is_whole(&self) -> bool {
        self.holes.is_empty() && self.open.is_empty()
    }
}

/// Reads the first argument; no argument is an empty object to every tool.
pub fn first(arguments: &[ast::Argument<'_>]) -> Argument {
    let Some(first) = arguments.first() else {
        return Argument::Known(Known { value: Value::Object(Map::new()), ..Known::default() });
    };
    let Some(expression) = first.as_expression() else { return Argument::Unknown };
    let mut reading = Reading { known: Known::default(), path: Vec::new() };
    match reading.value(expression) {
        Some(value) => Argument::Known(Known { value, ..reading.known }),
        None => Argument::Unknown,
    }
}

struct Reading {
    known: Known,
    path: Path,
}

impl Reading {
    /// The value of an expression; none where it is not written out.
    fn value(&mut self, it: &Expression<'_>) -> Option<Value> {
        match it.get_inner_expression() {
            Expression::NullLiteral(_) => Some(Value::Null),
            Expression::BooleanLiteral(it) => Some(Value::Bool(it.value)),
            Expression::NumericLiteral(it) => number(it.value),
            Expression::StringLiteral(it) if !it.lone_surrogates => {
                Some(Value::String(it.value.to_string()))
            }
            Expression::TemplateLiteral(it) => match it.quasis.as_slice() {
                [only] if !only.lone_surrogates => {
                    only.value.cooked.map(|text| Value::String(text.to_string()))
                }
                _ => None,
            },
            Expression::UnaryExpression(it) if it.operator == UnaryOperator::UnaryNegation => {
                match it.argument.get_inner_expression() {
                    Expression::NumericLiteral(it) => number(-it.value),
                    _ => None,
                }
            }
            Expression::ArrayExpression(it) => self.array(it),
            Expression::ObjectExpression(it) => self.object(it),
            _ => None,
        }
    }

    /// The same, with a hole where it is not known.
    fn part(&mut self, step: String, it: &Expression<'_>) -> Value {
        self.path.push(step);
        let (holes, open) = (self.known.holes.len(), self.known.open.len());
        let value = self.value(it).unwrap_or_else(|| {
            self.known.holes.truncate(holes);
            self.known.open.truncate(open);
            self.known.holes.push(self.path.clone());
            Value::Null
        });
        self.path.pop();
        value
    }

    fn array(&mut self, it: &ArrayExpression<'_>) -> Option<Value> {
        let mut values = Vec::with_capacity(it.elements.len());
        for (index, element) in it.elements.iter().enumerate() {
            // A spread or a gap leaves the places of the others unknown.
            let element = element.as_expression()?;
            values.push(self.part(index.to_string(), element));
        }
        Some(Value::Array(values))
    }

    fn object(&mut self, it: &ObjectExpression<'_>) -> Option<Value> {
        let mut values = Map::new();
        for property in &it.properties {
            let ObjectPropertyKind::ObjectProperty(property) = property else {
                self.spread(&values);
                continue;
            };
            let Some(key) = key(property) else {
                self.spread(&values);
                continue;
            };
            if key == "__proto__" && !property.computed && !property.shorthand {
                return None;
            }
            self.forget(&key);
            if property.kind != PropertyKind::Init || property.method {
                self.known.holes.push(self.below(&key));
                values.insert(key, Value::Null);
            } else if is_undefined(&property.value) {
                values.shift_remove(&key);
            } else {
                let value = self.part(key.clone(), &property.value);
                values.insert(key, value);
            }
        }
        Some(Value::Object(values))
    }

    fn below(&self, key: &str) -> Path {
        let mut path = self.path.clone();
        path.push(key.to_owned());
        path
    }

    /// Unknown keys come in: they may also replace the ones before.
    fn spread(&mut self, before: &Map<String, Value>) {
        for key in before.keys() {
            let path = self.below(key);
            if !self.known.holes.contains(&path) {
                self.known.holes.push(path);
            }
        }
        if !self.known.open.contains(&self.path) {
            self.known.open.push(self.path.clone());
        }
    }

    /// A key is written again: what was known of it no longer holds.
    fn forget(&mut self, key: &str) {
        let path = self.below(key);
        self.known.holes.retain(|hole| !hole.starts_with(&path));
        self.known.open.retain(|open| !open.starts_with(&path));
    }
}

/// The key of a property, if it is written out.
fn key(it: &ObjectProperty<'_>) -> Option<String> {
    match &it.key {
        PropertyKey::StaticIdentifier(name) => Some(name.name.to_string()),
        PropertyKey::StringLiteral(text) if !text.lone_surrogates => Some(text.value.to_string()),
        PropertyKey::NumericLiteral(n) if n.value.fract() == 0.0 && n.value.abs() < MAX_SAFE => {
            Some(format!("{}", n.value))
        }
        _ => None,
    }
}

/// `undefined`, as which a key counts as absent.
fn is_undefined(it: &Expression<'_>) -> bool {
    match it.get_inner_expression() {
        Expression::Identifier(it) => it.name == "undefined",
        Expression::UnaryExpression(it) => it.operator == UnaryOperator::Void,
        _ => false,
    }
}

/// A number as JSON writes it: without a fraction where it has none.
fn number(value: f64) -> Option<Value> {
    if value.fract() == 0.0 && value.abs() <= MAX_SAFE {
        #[expect(clippy::cast_possible_truncation, reason = "whole and within 2^53")]
        return Some(Value::Number((value as i64).into()));
    }
    Number::from_f64(value).map(Value::Number)
}
