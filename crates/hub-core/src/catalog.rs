//! Sources and their tools: what is configured, what a source answered, and the immutable
//! catalogue that searches and runs look at.

use crate::digest::Digest;
use crate::id::SourceId;
use crate::ports::TypeNames;
use crate::search::{Index, Part, Segment};
use crate::time::UnixMillis;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

/// How a source is reached.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "kind")]
pub enum Transport {
    /// A child process that speaks MCP on its standard streams.
    Stdio {
        /// The program.
        command: String,
        /// Its arguments.
        #[serde(default)]
        args: Vec<String>,
        /// Environment values that are no secrets.
        #[serde(default)]
        env: BTreeMap<String, String>,
        /// Its working directory.
        #[serde(default)]
        cwd: Option<String>,
    },
    /// Streamable HTTP; falls back to HTTP+SSE where a server knows nothing newer.
    Http {
        /// The endpoint.
        url: String,
    },
}

impl Transport {
    /// Command line or URL, for people; carries no credentials.
    pub fn origin(&self) -> String {
        match self {
            Self::Stdio { command, args, .. } => {
                std::iter::once(command).chain(args).cloned().collect::<Vec<_>>().join(" ")
            }
            Self::Http { url } => url.clone(),
        }
    }
}

/// What a call does to the world.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Effect {
    /// Nothing: it may be sent again.
    Read,
    /// Something: it is sent at most once.
    Effect,
}

/// A configured origin of tools.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Source {
    /// Stays the same when the source is renamed.
    pub id: SourceId,
    /// Its name as the person wrote it.
    pub name: String,
    /// The JavaScript identifier its tools stand under; kept once given.
    pub namespace: String,
    /// How it is reached.
    pub transport: Transport,
    /// Whether its annotations are believed. A person who adds a source trusts it unless said.
    pub trusted: bool,
    /// Per tool (raw name): read or effect, whatever its annotations say.
    #[serde(default)]
    pub effects: BTreeMap<String, Effect>,
    /// Milliseconds one call may take; at most [`crate::limits::CALL_TIMEOUT_MS`] unless set.
    #[serde(default)]
    pub timeout_ms: Option<u64>,
    /// Calls on their way at once; at most [`crate::limits::SOURCE_CONCURRENCY`].
    #[serde(default)]
    pub concurrency: Option<usize>,
    /// Whether `apply` owns it.
    #[serde(default)]
    pub from_file: bool,
    /// When it was added.
    pub created_at: UnixMillis,
}

impl Source {
    /// What an approval is bound to: where the call would go.
    pub fn identity(&self) -> Digest {
        let transport = serde_json::to_vec(&self.transport).unwrap_or_default();
        Digest::of_parts([self.id.as_str().as_bytes(), &transport])
    }
}

/// Annotations of a tool (MCP 2026-07-28, `ToolAnnotations`); absent means not said.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Annotations {
    /// Changes nothing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub read_only_hint: Option<bool>,
    /// May destroy something.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub destructive_hint: Option<bool>,
    /// A second identical call changes nothing more.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub idempotent_hint: Option<bool>,
    /// Reaches outside a closed world.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub open_world_hint: Option<bool>,
}

/// A tool as its source defined it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ToolDef {
    /// The source's own name for it.
    pub name: String,
    /// For people.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// What it does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// JSON Schema of its arguments.
    pub input_schema: Value,
    /// JSON Schema of its structured content.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output_schema: Option<Value>,
    /// What it says of itself.
    #[serde(default)]
    pub annotations: Annotations,
}

impl ToolDef {
    /// Digest of the whole definition; an approval does not outlive a change of it.
    pub fn digest(&self) -> Digest {
        Digest::of(&serde_json::to_vec(self).unwrap_or_default())
    }
}

/// A tool that could not be imported, and why.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct BrokenTool {
    /// Its name, as far as there is one.
    pub name: String,
    /// What is wrong with it.
    pub reason: String,
}

/// What a source answered when it was asked for its tools.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Listing {
    /// The tools, in the source's order.
    pub tools: Vec<ToolDef>,
    /// Those that cost only themselves.
    pub broken: Vec<BrokenTool>,
    /// The protocol revision spoken.
    pub protocol_version: String,
    /// Name and version the server gives itself.
    pub server: String,
    /// The server's instructions.
    #[serde(default)]
    pub instructions: Option<String>,
}

/// A tool in the catalogue: what stays in memory. Schemas lie in the store.
#[derive(Clone, Debug)]
pub struct Tool {
    /// Its name in code.
    pub name: Box<str>,
    /// The source's own name for it.
    pub raw: Box<str>,
    /// `input: {…}` cut to fit one line, and the result's type: `(input: {…}): Promise<T>`.
    pub signature: Box<str>,
    /// First sentence of its description.
    pub summary: Box<str>,
    /// Annotations as far as the source is trusted, with the person's overrides applied.
    pub annotations: Annotations,
    /// What a call does to the world.
    pub effect: Effect,
    /// Whether a parameter names a free destination (a URL or host).
    pub free_destination: bool,
    /// Digest of its definition.
    pub digest: Digest,
}

/// The tools of one source. Immutable; a refresh makes another.
#[derive(Debug)]
pub struct Namespace {
    /// The source.
    pub source: Source,
    /// Its connections' names, the default first.
    pub connections: Vec<String>,
    /// Its tools, sorted by name.
    pub tools: Vec<Tool>,
    /// Positions in `tools` by name in code and by raw name.
    pub by_name: HashMap<Box<str>, u32>,
    /// What names of types stand for that its tools contest.
    pub type_names: TypeNames,
    /// Whether the source was away when last asked.
    pub stale: bool,
}

impl Namespace {
    /// The tool of that name, in code or raw.
    pub fn tool(&self, name: &str) -> Option<&Tool> {
        self.by_name.get(name).map(|&i| &self.tools[i as usize])
    }

    /// The address of `tool`.
    pub fn address(&self, tool: &Tool) -> String {
        format!("{}.{}", self.source.namespace, tool.name)
    }
}

/// A namespace on its way into a catalogue.
#[derive(Debug)]
pub enum Entry {
    /// One of the catalogue before.
    Kept(Arc<Namespace>),
    /// One that was read anew, with its part of the search index, in the order of its tools.
    Fresh(Arc<Namespace>, Segment),
}

impl Entry {
    fn namespace(&self) -> &Arc<Namespace> {
        match self {
            Self::Kept(namespace) | Self::Fresh(namespace, _) => namespace,
        }
    }
}

/// Everything that is connected, at one moment. Cheap to hold: a run keeps the one it began with.
#[derive(Debug, Default)]
pub struct Catalog {
    /// Raised with every change.
    pub version: u64,
    /// The namespaces, sorted by name.
    pub namespaces: Vec<Arc<Namespace>>,
    /// What searches look at.
    pub index: Index,
}

impl Catalog {
    /// The catalogue of `entries`. Those that are kept are namespaces of `before`; only parts of
    /// the index near fresh ones are made anew.
    pub fn new(version: u64, mut entries: Vec<Entry>, before: &Self) -> Self {
        let name = |entry: &Entry| entry.namespace().source.namespace.clone();
        entries.sort_by_cached_key(name);
        let mut namespaces = Vec::with_capacity(entries.len());
        let mut parts: Vec<Part> = Vec::with_capacity(entries.len());
        for entry in entries {
            let (namespace, part) = match entry {
                Entry::Fresh(namespace, segment) => (namespace, Some((Arc::new(segment), 0))),
                Entry::Kept(namespace) => {
                    let at = before.position(&namespace.source.namespace);
                    let at = at.filter(|at| Arc::ptr_eq(&before.namespaces[*at], &namespace));
                    let part = at.and_then(|at| before.index.part(at));
                    (namespace, part)
                }
            };
            let nothing = || (Arc::new(Segment::build(&namespace.source.namespace, &[])), 0);
            parts.push(part.unwrap_or_else(nothing));
            namespaces.push(namespace);
        }
        let index = Index::new(&namespaces, &parts);
        Self { version, namespaces, index }
    }

    /// The namespace of that name.
    pub fn namespace(&self, name: &str) -> Option<&Arc<Namespace>> {
        self.position(name).map(|at| &self.namespaces[at])
    }

    /// Where the namespace of that name stands.
    pub fn position(&self, name: &str) -> Option<usize> {
        self.namespaces.binary_search_by(|n| n.source.namespace.as_str().cmp(name)).ok()
    }

    /// The tool at `address` (`namespace.tool`).
    pub fn tool(&self, address: &str) -> Option<(&Arc<Namespace>, &Tool)> {
        let (namespace, tool) = address.split_once('.')?;
        let namespace = self.namespace(namespace)?;
        namespace.tool(tool).map(|t| (namespace, t))
    }

    /// How many tools there are.
    pub fn tool_count(&self) -> usize {
        self.namespaces.iter().map(|n| n.tools.len()).sum()
    }
}
