//! Which tools and types one namespace's part of an answer is about, and the types' names.

use crate::graph::{Kind, NodeId};
use crate::hash::hashes;
use crate::print::{Part, name_and_part, part_name};
use crate::text::pascal;
use crate::tool::ToolTypes;
use hub_core::catalog::ToolDef;
use hub_core::limits::CONNECTIONS_NAMED;
use hub_core::ports::DeclareBlock;
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
    /// Types that another tool calls the same without meaning the same.
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
        let entries: Vec<_> = some.iter().map(|(name, tool)| Entry::read(name, tool)).collect();
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
        scope.settle_names();
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
            let entry = Entry::read(tool_name, tool);
            if let Some(part) = entry.find(name) {
                self.entries.push(entry);
                return Some(TypeAt { entry: self.entries.len() - 1, part });
            }
        }
        None
    }

    /// Gives types that differ but are called the same different names.
    fn settle_names(&mut self) {
        if self.entries.len() < 2 {
            return;
        }
        let mut meanings: HashMap<String, u64> = HashMap::new();
        for entry in &mut self.entries {
            let hashes = hashes(&entry.types.named.graph);
            let mut named: Vec<_> = entry.types.named.names.iter().collect();
            named.sort();
            for (node, name) in named {
                let hash = hashes[node.0 as usize];
                if *meanings.entry(name.clone()).or_insert(hash) != hash {
                    entry.renamed.insert(*node, suffixed(name, hash));
                }
            }
        }
    }

    pub fn name(&self, at: TypeAt) -> String {
        let entry = &self.entries[at.entry];
        let node = at.part.node;
        let name = entry.renamed.get(&node).or_else(|| entry.types.named.names.get(&node));
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
    fn read(name: &'a str, tool: &'a ToolDef) -> Self {
        Self { name, tool, types: ToolTypes::read(tool), renamed: HashMap::new() }
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

    /// The type that this tool calls `name`, or would where another tool has that name too.
    fn find_node(&self, name: &str) -> Option<NodeId> {
        let names = &self.types.named.names;
        let called = |name: &str| {
            names.iter().filter(|(_, known)| *known == name).map(|(node, _)| *node).min()
        };
        if let Some(node) = called(name) {
            return Some(node);
        }
        let (base, _) = name.rsplit_once('_')?;
        let node = called(base)?;
        let hashes = hashes(&self.types.named.graph);
        (suffixed(base, hashes[node.0 as usize]) == name).then_some(node)
    }
}

fn suffixed(name: &str, hash: u64) -> String {
    format!("{name}_{:04x}", hash & 0xffff)
}
