//! Which tools and types one namespace's part of an answer is about, and the types' names.

use crate::graph::{Kind, NodeId};
use crate::print::{Part, name_and_part, part_name};
use crate::settle::renamed;
use crate::text::pascal;
use crate::tool::ToolTypes;
use hub_core::catalog::ToolDef;
use hub_core::limits::CONNECTIONS_NAMED;
use hub_core::ports::{DeclareBlock, TypeNames};
use std::collections::HashMap;

pub struct Scope<'a> {
    pub namespace: &'a str,
    /// The namespace with its dot.
    pub qualifier: String,
    connections: &'a [String],
    /// Tools to declare first, then those that only lend a type.
    pub entries: Vec<Entry<'a>>,
    /// How many tools were read, of those asked for.
    pub read: usize,
    /// How many of the tools are shown.
    pub shown: usize,
    /// Names of the tools that were not even read.
    unread: Vec<&'a str>,
    /// Types that were asked for.
    pub wanted: Vec<TypeAt>,
}

pub struct Entry<'a> {
    pub name: &'a str,
    pub tool: &'a ToolDef,
    pub types: ToolTypes<'a>,
    /// Types whose name in the namespace is not this tool's own.
    pub renamed: HashMap<NodeId, String>,
}

/// A type: which tool's, and which of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct TypeAt {
    pub entry: usize,
    pub part: Part,
}

impl<'a> Scope<'a> {
    /// Reads at most `most` tools: more would not fit.
    pub fn read(block: &'a DeclareBlock<'a>, most: usize, missing: &mut Vec<String>) -> Self {
        let (some, others) = block.tools.split_at(most.min(block.tools.len()));
        let entries: Vec<_> =
            some.iter().map(|(name, tool)| Entry::read(name, tool, block.names)).collect();
        let read = entries.len();
        let mut scope = Self {
            namespace: block.namespace,
            qualifier: format!("{}.", block.namespace),
            connections: block.connections,
            entries,
            read,
            shown: read,
            unread: others.iter().map(|(name, _)| name.as_str()).collect(),
            wanted: Vec::new(),
        };
        for name in &block.types {
            match scope.find(name, block) {
                Some(at) => scope.wanted.push(at),
                None => missing.push(format!("{}.{name}", block.namespace)),
            }
        }
        scope
    }

    /// Whether every tool that was asked for was read.
    pub fn is_whole(&self) -> bool {
        self.unread.is_empty()
    }

    /// The type called `name` in this namespace. Reads further tools until one has it.
    fn find(&mut self, name: &str, block: &'a DeclareBlock<'a>) -> Option<TypeAt> {
        for (at, entry) in self.entries.iter().enumerate() {
            if let Some(part) = entry.find(name) {
                return Some(TypeAt { entry: at, part });
            }
        }
        // Most names begin with their tool's.
        let mut all: Vec<_> = block.all.iter().collect();
        all.sort_by_key(|(_, tool)| !name.starts_with(&pascal(&tool.name)));
        for (tool_name, tool) in all {
            let entry = Entry::read(tool_name, tool, block.names);
            if let Some(part) = entry.find(name) {
                self.entries.push(entry);
                return Some(TypeAt { entry: self.entries.len() - 1, part });
            }
        }
        None
    }

    pub fn name(&self, at: TypeAt) -> String {
        let entry = &self.entries[at.entry];
        let name = entry.name(at.part.node);
        part_name(name.map_or("unknown", String::as_str), at.part.from)
    }

    pub fn has_unknown_results(&self) -> bool {
        self.entries[..self.shown].iter().any(|entry| entry.types.output.is_none())
    }

    /// Addresses of tools that are not shown.
    pub fn left_out(&self) -> impl Iterator<Item = String> {
        let read = self.entries[self.shown..self.read].iter().map(|entry| entry.name);
        read.chain(self.unread.iter().copied()).map(|name| format!("{}.{name}", self.namespace))
    }

    /// Every tool and type that was asked for.
    pub fn everything(&self) -> Vec<String> {
        let types = self.wanted.iter().map(|at| format!("{}.{}", self.namespace, self.name(*at)));
        self.left_out().chain(types).collect()
    }

    pub fn connections_doc(&self) -> String {
        let [default, others @ ..] = self.connections else { return String::new() };
        let mut text = format!("Connections: {default} (default)");
        for name in others.iter().take(CONNECTIONS_NAMED - 1) {
            text.push_str(&format!(", {name}"));
        }
        let more = others.len().saturating_sub(CONNECTIONS_NAMED - 1);
        if more > 0 {
            text.push_str(&format!(", +{more}"));
        }
        let mut out = String::new();
        crate::text::push_doc(&mut out, &text.replace(['\n', '\r'], " "), 0);
        out
    }
}

impl<'a> Entry<'a> {
    fn read(name: &'a str, tool: &'a ToolDef, settled: &TypeNames) -> Self {
        let types = ToolTypes::read(tool);
        let renamed = renamed(&types, settled);
        Self { name, tool, types, renamed }
    }

    fn name(&self, node: NodeId) -> Option<&String> {
        self.renamed.get(&node).or_else(|| self.types.named.names.get(&node))
    }

    /// The type, or part of one, that this tool calls `name`.
    fn find(&self, name: &str) -> Option<Part> {
        if let Some(node) = self.find_node(name) {
            return Some(Part::whole(node));
        }
        let (name, from) = name_and_part(name)?;
        let node = self.find_node(name)?;
        match self.types.named.graph.kind(node) {
            Kind::Object(object) if from < object.props.len() => Some(Part { node, from }),
            _ => None,
        }
    }

    /// The type of this tool that is called `name` in the namespace.
    fn find_node(&self, name: &str) -> Option<NodeId> {
        let nodes = self.types.named.names.keys().copied();
        nodes.filter(|node| self.name(*node).is_some_and(|known| known == name)).min()
    }
}
