//! Writes types of a graph as TypeScript.
//!
//! What stands by name and what is written out is a matter of [`Plan`]; whatever it says, the
//! text is finite: deep types stand by their names, and every attempt has a limit of bytes.

use crate::graph::{Facts, Graph, Kind, NodeId, Object, Prop, Tuple};
use crate::simplify::seen_through;
use crate::text::{push_doc, push_literal, push_name, shortened};
use serde_json::Value;
use std::collections::{HashMap, HashSet};

/// Bytes that an object may have to be written on one line.
const LINE_BYTES: usize = 60;
/// Levels after which a type stands by its name.
const NAMED_BEYOND: usize = 20;
/// Levels after which a type that has no name is not shown.
const HIDDEN_BEYOND: usize = 40;
/// Levels of a literal that are shown.
const LITERAL_DEPTH: usize = 8;
/// Bytes of one literal where space is short.
const LITERAL_BYTES: usize = 120;
/// Formats that say how a string must be written.
const TOLD_FORMATS: [&str; 8] =
    ["date-time", "date", "time", "duration", "uri", "email", "uuid", "ipv4"];

/// What is written out.
#[derive(Clone, Copy, Debug)]
pub struct Plan {
    /// Objects this deep stand by name.
    pub fold: usize,
    /// Characters of the description of a tool or a named type.
    pub doc_chars: usize,
    /// Characters of the description of a property.
    pub prop_chars: usize,
    /// Alternatives of a union, items of a tuple; more are widened, with a comment.
    pub values: usize,
    /// Properties of one interface; the rest stands in another that it extends.
    pub props: usize,
}

/// A type that stands by name: its node, and the property it begins at.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Part {
    pub node: NodeId,
    pub from: usize,
}

impl Part {
    pub fn whole(node: NodeId) -> Self {
        Self { node, from: 0 }
    }
}

/// What the name of a later part of a type has behind the type's own.
const MORE: &str = "_more";

/// The name of the part of `name` that begins at property `from`.
pub fn part_name(name: &str, from: usize) -> String {
    if from == 0 { name.to_owned() } else { format!("{name}{MORE}{from}") }
}

/// The inverse of [`part_name`].
pub fn name_and_part(name: &str) -> Option<(&str, usize)> {
    let (name, from) = name.rsplit_once(MORE)?;
    from.parse().ok().filter(|from| *from > 0).map(|from| (name, from))
}

/// Types with their names, ready to print.
pub struct Named<'a> {
    pub graph: Graph<'a>,
    pub names: HashMap<NodeId, String>,
    /// Types that always stand by name: those that contain themselves, and results.
    pub forced: HashSet<NodeId>,
}

/// The text was longer than its limit.
#[derive(Debug)]
pub struct TooLong;

/// Where in the text a type is written.
#[derive(Clone, Copy, Default)]
struct Place {
    indent: usize,
    depth: usize,
    nest: usize,
    /// On one line, without comments.
    line: bool,
    /// Whether unions need parentheses.
    tight: bool,
}

impl Place {
    fn inner(self) -> Self {
        Self { nest: self.nest + 1, tight: false, ..self }
    }
}

pub struct Printer<'p, 'a> {
    named: &'p Named<'a>,
    plan: Plan,
    /// Written before names: `github.`.
    qualifier: &'p str,
    /// Names as they stand in this answer, where they differ from the tool's own.
    renamed: &'p HashMap<NodeId, String>,
    limit: usize,
    pub out: String,
    /// What stands by name, in order.
    pub used: Vec<Part>,
}

type Written = Result<(), TooLong>;

impl<'p, 'a> Printer<'p, 'a> {
    pub fn new(
        named: &'p Named<'a>,
        renamed: &'p HashMap<NodeId, String>,
        plan: Plan,
        qualifier: &'p str,
        limit: usize,
    ) -> Self {
        Self { named, plan, qualifier, renamed, limit, out: String::new(), used: Vec::new() }
    }

    /// Writes the type at the level of a member of the namespace.
    pub fn parameter(&mut self, id: NodeId) -> Written {
        self.ty(id, Place { indent: 1, ..Place::default() })
    }

    /// Writes `interface Name {…}` for a type that has a name, or for a part of it.
    pub fn interface(&mut self, part: Part) -> Written {
        let node = self.named.graph.get(part.node);
        if part.from == 0 {
            let doc = doc(node.description, node.reason.as_deref(), self.plan.doc_chars);
            push_doc(&mut self.out, &doc, 1);
        }
        self.out.push_str("\tinterface ");
        self.push_own_name(part);
        let place = Place { indent: 1, depth: 1, nest: 1, ..Place::default() };
        match &node.kind {
            Kind::Object(object) => self.object_interface(part, object, place)?,
            Kind::Array(item) => self.array_interface(&[*item], place)?,
            Kind::Tuple(tuple) => {
                let mut items = tuple.items.clone();
                items.extend(tuple.rest);
                self.array_interface(&items, place)?;
            }
            _ => self.out.push_str(" {}\n"),
        }
        self.within()
    }

    fn object_interface(&mut self, part: Part, object: &Object<'a>, place: Place) -> Written {
        let from = part.from.min(object.props.len());
        let to = from.saturating_add(self.plan.props).min(object.props.len());
        let index = index(&self.named.graph, object);
        self.out.push_str(match (to < object.props.len(), &index, to) {
            (false, None, 1..) => "",
            _ => " extends ",
        });
        if to < object.props.len() {
            let rest = Part { node: part.node, from: to };
            self.used.push(rest);
            self.push_own_name(rest);
        } else if let Some(index) = index {
            self.out.push_str("Record<string, ");
            self.index(&index, place.inner())?;
            self.out.push('>');
        } else if object.props.is_empty() {
            let value = if object.closed { "never" } else { "unknown" };
            self.out.push_str(&format!("Record<string, {value}>"));
        }
        self.out.push_str(" {\n");
        self.members(&object.props[from..to], place)?;
        self.out.push_str("\t}\n");
        Ok(())
    }

    fn array_interface(&mut self, items: &[NodeId], place: Place) -> Written {
        self.out.push_str(" extends Array<");
        self.joined(items, " | ", place.inner())?;
        self.out.push_str("> {}\n");
        Ok(())
    }

    fn within(&self) -> Written {
        if self.out.len() > self.limit { Err(TooLong) } else { Ok(()) }
    }

    fn ty(&mut self, id: NodeId, place: Place) -> Written {
        self.within()?;
        let id = seen_through(&self.named.graph, id);
        if self.by_name(id, place) {
            self.used.push(Part::whole(id));
            self.out.push_str(self.qualifier);
            self.push_own_name(Part::whole(id));
            return Ok(());
        }
        if place.nest > HIDDEN_BEYOND {
            self.out.push_str("unknown");
            return Ok(());
        }
        let named = self.named;
        match named.graph.kind(id) {
            Kind::Unknown => self.out.push_str("unknown"),
            Kind::Never => self.out.push_str("never"),
            Kind::Null => self.out.push_str("null"),
            Kind::Boolean => self.out.push_str("boolean"),
            Kind::Number => self.out.push_str("number"),
            Kind::String => self.out.push_str("string"),
            Kind::Literal(value) => self.literal(value),
            Kind::Array(item) => {
                self.ty(*item, Place { tight: true, ..place.inner() })?;
                self.out.push_str("[]");
            }
            Kind::Tuple(tuple) => self.tuple(tuple, place.inner())?,
            Kind::Object(object) => self.object(object, place)?,
            Kind::Union(parts) => self.grouped(parts, " | ", place)?,
            Kind::Intersection(parts) => self.grouped(parts, " & ", place)?,
        }
        self.within()
    }

    /// Whether the type stands by its name here.
    fn by_name(&mut self, id: NodeId, place: Place) -> bool {
        if !self.named.names.contains_key(&id) {
            return false;
        }
        if self.named.forced.contains(&id) {
            return true;
        }
        let node = self.named.graph.get(id);
        let Kind::Object(object) = &node.kind else { return place.nest > NAMED_BEYOND };
        let shared = node.refs > 1 && node.hint.is_some();
        let folded = place.depth >= self.plan.fold || place.nest > NAMED_BEYOND;
        if object.props.is_empty() && place.nest <= NAMED_BEYOND || !shared && !folded {
            return false;
        }
        !self.fits_line(object, place)
    }

    /// Whether the object is so small that it is written on one line. Leaves no trace.
    fn fits_line(&mut self, object: &Object<'a>, place: Place) -> bool {
        let (len, used) = (self.out.len(), self.used.len());
        let limit = self.limit;
        self.limit = limit.min(len + LINE_BYTES);
        let fits = self.object_line(object, Place { line: true, ..place }).is_ok();
        self.limit = limit;
        self.out.truncate(len);
        self.used.truncate(used);
        fits
    }

    fn object(&mut self, object: &Object<'a>, place: Place) -> Written {
        if place.line {
            return self.object_line(object, place);
        }
        let index = index(&self.named.graph, object);
        if object.props.is_empty() || self.fits_line(object, place) {
            return self.object_line(object, place);
        }
        self.out.push_str("{\n");
        self.members(&object.props, place)?;
        if let Some(index) = index {
            self.tabs(place.indent + 1);
            self.out.push_str("[key: string]: ");
            self.index(&index, Place { indent: place.indent + 1, ..deeper(place) })?;
            self.out.push_str(";\n");
        }
        self.tabs(place.indent);
        self.out.push('}');
        Ok(())
    }

    fn object_line(&mut self, object: &Object<'a>, place: Place) -> Written {
        let index = index(&self.named.graph, object);
        if object.props.is_empty() {
            self.out.push_str("Record<string, ");
            match index {
                Some(index) => self.index(&index, deeper(place))?,
                None if object.closed => self.out.push_str("never"),
                None => self.out.push_str("unknown"),
            }
            self.out.push('>');
            return self.within();
        }
        self.out.push_str("{ ");
        for (at, prop) in object.props.iter().enumerate() {
            if !self.doc_of(prop.node).is_empty() {
                return Err(TooLong);
            }
            self.out.push_str(if at > 0 { "; " } else { "" });
            self.prop_name(prop.name, prop.required);
            self.ty(prop.node, deeper(place))?;
        }
        if let Some(index) = index {
            self.out.push_str("; [key: string]: ");
            self.index(&index, deeper(place))?;
        }
        self.out.push_str(" }");
        self.within()
    }

    /// The properties, a line each, with their descriptions.
    fn members(&mut self, props: &[Prop<'a>], place: Place) -> Written {
        let indent = place.indent + 1;
        for prop in props {
            let doc = self.doc_of(prop.node);
            push_doc(&mut self.out, &doc, indent);
            self.tabs(indent);
            self.prop_name(prop.name, prop.required);
            self.ty(prop.node, Place { indent, ..deeper(place) })?;
            self.out.push_str(";\n");
        }
        self.within()
    }

    fn doc_of(&self, id: NodeId) -> String {
        let graph = &self.named.graph;
        let node = graph.get(id);
        let target = graph.get(seen_through(graph, id));
        let described = node.description.or(target.description);
        let reason = node.reason.as_deref().or(target.reason.as_deref());
        let mut doc = doc(described, reason, self.plan.prop_chars);
        if described.is_some() && !doc.is_empty() {
            self.add_facts(node.facts.or(target.facts), &mut doc);
        }
        doc
    }

    /// What the schema says beside the description, where the description does not.
    fn add_facts(&self, facts: Facts<'a>, doc: &mut String) {
        let mut words = Vec::new();
        if let Some(format) = facts.format.filter(|format| TOLD_FORMATS.contains(format)) {
            let said = doc.contains(format) || format.starts_with("date") && doc.contains("ISO");
            words.extend((!said).then(|| format!("format {format}")));
        }
        let default = facts.default.filter(|value| !value.is_object() && !value.is_array());
        if let Some(default) = default.map(Value::to_string).filter(|text| text.len() <= 40) {
            let said = doc.to_lowercase().contains("default");
            words.extend((!said && default != "null").then(|| format!("default {default}")));
        }
        if !words.is_empty() {
            doc.push_str(&format!(" ({})", words.join(", ")));
        }
    }

    fn prop_name(&mut self, name: &str, required: bool) {
        push_name(&mut self.out, name);
        self.out.push_str(if required { ": " } else { "?: " });
    }

    /// The type of properties that are not named: wide enough for those that are.
    fn index(&mut self, index: &Index, place: Place) -> Written {
        if index.unknown {
            self.out.push_str("unknown");
            return Ok(());
        }
        self.joined(&index.types, " | ", place)?;
        if index.undefined {
            self.out.push_str(" | undefined");
        }
        Ok(())
    }

    fn literal(&mut self, value: &Value) {
        let start = self.out.len();
        push_literal(&mut self.out, value, LITERAL_DEPTH);
        if self.plan.values != usize::MAX && self.out.len() - start > LITERAL_BYTES {
            self.out.truncate(start);
            self.out.push_str(if value.is_string() { "string" } else { "unknown" });
        }
    }

    fn tuple(&mut self, tuple: &Tuple, place: Place) -> Written {
        if tuple.items.len() > self.plan.values {
            self.out.push_str(&format!("unknown[] /* {} items */", tuple.items.len()));
            return Ok(());
        }
        self.out.push('[');
        for (at, item) in tuple.items.iter().enumerate() {
            self.out.push_str(if at > 0 { ", " } else { "" });
            let optional = at >= tuple.required;
            self.ty(*item, Place { tight: optional, ..place })?;
            self.out.push_str(if optional { "?" } else { "" });
        }
        if let Some(rest) = tuple.rest {
            self.out.push_str(", ...");
            self.ty(rest, Place { tight: true, ..place })?;
            self.out.push_str("[]");
        }
        self.out.push(']');
        Ok(())
    }

    fn grouped(&mut self, parts: &[NodeId], by: &str, place: Place) -> Written {
        if parts.len() > self.plan.values {
            return self.widened(parts, by);
        }
        let parens = place.tight && parts.len() > 1;
        self.out.push_str(if parens { "(" } else { "" });
        let tight = by == " & ";
        self.joined(parts, by, Place { tight, ..place.inner() })?;
        self.out.push_str(if parens { ")" } else { "" });
        Ok(())
    }

    /// One type for many alternatives: their common one where they are values, else anything.
    fn widened(&mut self, parts: &[NodeId], by: &str) -> Written {
        let literal = |id: &NodeId| match self.named.graph.kind(*id) {
            Kind::Literal(Value::String(_)) => "string",
            Kind::Literal(Value::Number(_)) => "number",
            _ => "unknown",
        };
        let first = parts.first().map_or("unknown", literal);
        let wide = if parts.iter().all(|id| literal(id) == first) { first } else { "unknown" };
        let what = if by == " & " { "all" } else { "one" };
        self.out.push_str(&format!("{wide} /* {what} of {} */", parts.len()));
        Ok(())
    }

    /// The types one after the other, none twice.
    fn joined(&mut self, parts: &[NodeId], by: &str, place: Place) -> Written {
        let mut written: Vec<(usize, usize)> = Vec::new();
        for part in parts {
            let before = self.out.len();
            self.out.push_str(if written.is_empty() { "" } else { by });
            let start = self.out.len();
            self.ty(*part, Place { tight: place.tight || parts.len() > 1, ..place })?;
            let repeated =
                written.iter().any(|&(from, to)| self.out[from..to] == self.out[start..]);
            if repeated {
                self.out.truncate(before);
            } else {
                written.push((start, self.out.len()));
            }
        }
        Ok(())
    }

    fn push_own_name(&mut self, part: Part) {
        let name = self.renamed.get(&part.node).or_else(|| self.named.names.get(&part.node));
        self.out.push_str(&part_name(name.map_or("unknown", String::as_str), part.from));
    }

    fn tabs(&mut self, indent: usize) {
        self.out.extend(std::iter::repeat_n('\t', indent));
    }
}

fn deeper(place: Place) -> Place {
    Place { depth: place.depth + 1, ..place.inner() }
}

/// What properties without a name may hold.
struct Index {
    unknown: bool,
    types: Vec<NodeId>,
    undefined: bool,
}

/// `None` where the type says nothing of properties that are not named.
fn index(graph: &Graph<'_>, object: &Object<'_>) -> Option<Index> {
    if object.index.is_empty() {
        return None;
    }
    let types: Vec<NodeId> =
        object.index.iter().copied().chain(object.props.iter().map(|prop| prop.node)).collect();
    let unknown = types.iter().any(|id| *graph.kind(seen_through(graph, *id)) == Kind::Unknown);
    let undefined = object.props.iter().any(|prop| !prop.required);
    Some(Index { unknown, types, undefined })
}

/// A comment: what the source says, and what could not be read.
fn doc(description: Option<&str>, reason: Option<&str>, chars: usize) -> String {
    let said = description.filter(|_| chars > 0).map(|text| shortened(text, chars));
    match (said, reason) {
        (Some(said), None) => said,
        (None, Some(reason)) => format!("Not read: {}.", shortened(reason, 200)),
        (Some(said), Some(reason)) => format!("{said}\nNot read: {}.", shortened(reason, 200)),
        (None, None) => String::new(),
    }
}
