//! What a schema means, as a graph of types. Shared and recursive types are shared nodes.

use serde_json::Value;

/// Position of a node in its [`Graph`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct NodeId(pub u32);

/// The types of one schema. Borrows names and descriptions from it.
#[derive(Debug, Default)]
pub struct Graph<'a> {
    pub nodes: Vec<Node<'a>>,
}

/// One type.
#[derive(Clone, Debug, Default)]
pub struct Node<'a> {
    pub kind: Kind<'a>,
    /// What the schema says about it.
    pub description: Option<&'a str>,
    /// Why it could not be read in full.
    pub reason: Option<String>,
    pub facts: Facts<'a>,
    /// The name its definition has in the schema.
    pub hint: Option<&'a str>,
    /// How many places refer to it by `$ref`.
    pub refs: u32,
}

/// What a schema says that a type cannot.
#[derive(Clone, Copy, Debug, Default)]
pub struct Facts<'a> {
    /// JSON Schema `format`.
    pub format: Option<&'a str>,
    /// What is taken where nothing is given.
    pub default: Option<&'a Value>,
}

impl Facts<'_> {
    /// These, and from `other` what these do not say.
    pub fn or(self, other: Self) -> Self {
        Self { format: self.format.or(other.format), default: self.default.or(other.default) }
    }
}

/// The shape of a type.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Kind<'a> {
    /// Anything.
    #[default]
    Unknown,
    /// Nothing.
    Never,
    Null,
    Boolean,
    Number,
    String,
    /// Exactly this value.
    Literal(&'a Value),
    Array(NodeId),
    Tuple(Tuple),
    Object(Object<'a>),
    /// Any of these.
    Union(Vec<NodeId>),
    /// All of these.
    Intersection(Vec<NodeId>),
}

/// An array whose first items have types of their own.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Tuple {
    pub items: Vec<NodeId>,
    /// How many of the items must be there.
    pub required: usize,
    /// The type of what follows; `None` where nothing may.
    pub rest: Option<NodeId>,
}

/// An object.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Object<'a> {
    /// Required ones first, each group in the schema's order.
    pub props: Vec<Prop<'a>>,
    /// Types of properties that are not named.
    pub index: Vec<NodeId>,
    /// Whether properties that are not named are refused.
    pub closed: bool,
}

/// A property.
#[derive(Clone, Debug, PartialEq)]
pub struct Prop<'a> {
    pub name: &'a str,
    pub required: bool,
    pub node: NodeId,
}

impl<'a> Graph<'a> {
    pub fn get(&self, id: NodeId) -> &Node<'a> {
        &self.nodes[id.0 as usize]
    }

    pub fn get_mut(&mut self, id: NodeId) -> &mut Node<'a> {
        &mut self.nodes[id.0 as usize]
    }

    pub fn kind(&self, id: NodeId) -> &Kind<'a> {
        &self.get(id).kind
    }

    pub fn add(&mut self, node: Node<'a>) -> NodeId {
        let id = NodeId(u32::try_from(self.nodes.len()).unwrap_or(u32::MAX));
        self.nodes.push(node);
        id
    }

    pub fn add_kind(&mut self, kind: Kind<'a>) -> NodeId {
        self.add(Node { kind, ..Node::default() })
    }
}
