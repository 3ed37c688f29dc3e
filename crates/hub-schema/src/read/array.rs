//! Arrays: lists, and tuples as every draft writes them.

use super::Reader;
use crate::graph::{Kind, Tuple};
use crate::resolve::{At, Resolver};
use serde_json::{Map, Value};

impl<'a> Reader<'_, 'a> {
    pub(super) fn array(
        &mut self,
        at: At<'a>,
        map: &'a Map<String, Value>,
        depth: usize,
    ) -> Kind<'a> {
        let items = map.get("items");
        // Until 2019-09 a tuple was `items: […]` with `additionalItems`.
        let (prefix, rest) = match (map.get("prefixItems"), items) {
            (Some(Value::Array(prefix)), rest) => (Some(prefix), rest),
            (_, Some(Value::Array(prefix))) => (Some(prefix), map.get("additionalItems")),
            _ => (None, items),
        };
        match prefix {
            Some(prefix) if !prefix.is_empty() => self.tuple(at, map, prefix, rest, depth),
            _ => Kind::Array(self.part(at, rest, depth)),
        }
    }

    fn tuple(
        &mut self,
        at: At<'a>,
        map: &'a Map<String, Value>,
        prefix: &'a [Value],
        rest: Option<&'a Value>,
        depth: usize,
    ) -> Kind<'a> {
        let count = |keyword| map.get(keyword).and_then(Value::as_u64).map(|n| n as usize);
        let most = count("maxItems").unwrap_or(usize::MAX);
        let items: Vec<_> =
            prefix.iter().take(most).map(|p| self.part(at, Some(p), depth)).collect();
        let required = count("minItems").unwrap_or(0).min(items.len());
        let closed = rest == Some(&Value::Bool(false)) || most <= prefix.len();
        let rest = (!closed).then(|| self.part(at, rest, depth));
        Kind::Tuple(Tuple { items, required, rest })
    }

    /// The type of a part; absent means anything.
    pub(super) fn part(
        &mut self,
        at: At<'a>,
        part: Option<&'a Value>,
        depth: usize,
    ) -> crate::graph::NodeId {
        match part {
            Some(value) => self.schema(Resolver::step(at, value), depth + 1),
            None => self.graph.add_kind(Kind::Unknown),
        }
    }
}
