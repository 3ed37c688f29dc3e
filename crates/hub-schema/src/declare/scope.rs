//! Which tools and types one namespace's part of an answer is about, and the types' names.

use crate::graph::NodeId;
use crate::hash::hashes;
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
    tools: usize,
    /// How many of the tools are shown.
    pub shown: usize,
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
    pub node: NodeId,
}

impl<'a> Scope<'a> {
    pub fn read(block: &'a DeclareBlock<'a>, missing: &mut Vec<String>) -> Self {
        let entries: Vec<_> =
            block.tools.iter().map(|(name, tool)| Entry::read(name, tool)).collect();
        let tools = entries.len();
        let mut scope = Self {
            namespace: block.namespace,
            qualifier: format!("{}.", block.namespace),
            connections: block.connections,
            entries,
            tools,
            shown: tools,
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

    /// The type called `name` in this namespace. Reads further tools until one has it.
    fn find(&mut self, name: &str, block: &'a DeclareBlock<'a>) -> Option<TypeAt> {
        for (at, entry) in self.entries.iter().enumerate() {
            if let Some(node) = entry.find(name) {
                return Some(TypeAt { entry: at, node });
            }
        }
        // Most names begin with their tool's.
        let mut all: Vec<_> = block.all.iter().collect();
        all.sort_by_key(|(_, tool)| !name.starts_with(&pascal(&tool.name)));
        for (tool_name, tool) in all {
            let entry = Entry::read(tool_name, tool);
            if let Some(node) = entry.find(name) {
                self.entries.push(entry);
                return Some(TypeAt { entry: self.entries.len() - 1, node });
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

    pub fn name(&self, at: TypeAt) -> &str {
        let entry = &self.entries[at.entry];
        let name = entry.renamed.get(&at.node).or_else(|| entry.types.named.names.get(&at.node));
        name.map_or("unknown", String::as_str)
    }

    pub fn has_unknown_results(&self) -> bool {
        self.entries[..self.shown].iter().any(|entry| entry.types.output.is_none())
    }

    /// Addresses of tools that are not shown.
    pub fn left_out(&self) -> impl Iterator<Item = String> {
        self.entries[self.shown..self.tools]
            .iter()
            .map(|e| format!("{}.{}", self.namespace, e.name))
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

    /// The type that this tool calls `name`, or would where another tool has that name too.
    fn find(&self, name: &str) -> Option<NodeId> {
        let names = &self.types.named.names;
        let exact = names.iter().filter(|(_, known)| *known == name).map(|(node, _)| *node).min();
        exact.or_else(|| {
            let (base, _) = name.rsplit_once('_')?;
            let candidates: Vec<NodeId> =
                names.iter().filter(|(_, known)| *known == base).map(|(node, _)| *node).collect();
            if candidates.is_empty() {
                return None;
            }
            let hashes = hashes(&self.types.named.graph);
            candidates.into_iter().find(|node| suffixed(base, hashes[node.0 as usize]) == name)
        })
    }
}

fn suffixed(name: &str, hash: u64) -> String {
    format!("{name}_{:04x}", hash & 0xffff)
}
