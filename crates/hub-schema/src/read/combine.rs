//! allOf, anyOf and oneOf.

use super::Reader;
use super::object::names;
use crate::graph::{Kind, NodeId, Object, Prop};
use crate::resolve::{At, Resolver};
use serde_json::{Map, Value};

impl<'a> Reader<'_, 'a> {
    pub(super) fn combined(
        &mut self,
        at: At<'a>,
        map: &'a Map<String, Value>,
        depth: usize,
        parts: &mut Vec<NodeId>,
    ) {
        if let Some(Value::Array(all)) = map.get("allOf") {
            for value in all {
                parts.push(self.branch(at, map, value, depth));
            }
        }
        for keyword in ["anyOf", "oneOf"] {
            let Some(Value::Array(any)) = map.get(keyword) else { continue };
            if any.is_empty() {
                continue;
            }
            let union = any.iter().map(|value| self.branch(at, map, value, depth)).collect();
            parts.push(self.graph.add_kind(Kind::Union(union)));
        }
    }

    /// One alternative. One that only says `required` takes the types from beside it.
    fn branch(
        &mut self,
        at: At<'a>,
        beside: &'a Map<String, Value>,
        value: &'a Value,
        depth: usize,
    ) -> NodeId {
        let only_required = value.as_object().is_some_and(|branch| {
            branch.contains_key("required")
                && branch.keys().all(|k| matches!(k.as_str(), "required" | "type" | "title"))
        });
        let (true, Some(Value::Object(properties))) = (only_required, beside.get("properties"))
        else {
            return self.schema(Resolver::step(at, value), depth + 1);
        };
        let mut object = Object::default();
        for name in names(value.get("required")) {
            let node = self.part(at, properties.get(name), depth);
            object.props.push(Prop { name, required: true, node });
        }
        self.graph.add_kind(Kind::Object(object))
    }
}
