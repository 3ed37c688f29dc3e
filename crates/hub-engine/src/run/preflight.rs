//! What the program reader may ask of the catalogue before a program runs.

use crate::engine::{Engine, Known};
use crate::lookup::closest;
use hub_core::catalog::ToolDef;
use hub_core::ports::{ArgProblem, KnownTools};
use serde_json::Value;
use std::sync::Arc;

/// What the program reader may ask; called from its own thread.
pub(crate) struct Preflight {
    pub(crate) engine: Engine,
    pub(crate) known: Arc<Known>,
    pub(crate) runtime: tokio::runtime::Handle,
}

impl KnownTools for Preflight {
    fn is_namespace(&self, name: &str) -> bool {
        self.known.catalog.namespace(name).is_some()
    }

    fn is_tool(&self, namespace: &str, tool: &str) -> bool {
        self.known.catalog.namespace(namespace).is_some_and(|n| n.tool(tool).is_some())
    }

    fn closest(&self, namespace: &str, tool: &str) -> Vec<String> {
        closest(&self.known.catalog, &format!("{namespace}.{tool}"))
    }

    fn schema(&self, namespace: &str, tool: &str) -> Option<Value> {
        self.definition(namespace, tool).map(|d| d.input_schema.clone())
    }

    fn check(&self, namespace: &str, tool: &str, arguments: &Value) -> Vec<ArgProblem> {
        let Some(definition) = self.definition(namespace, tool) else { return Vec::new() };
        self.engine.inner.deps.types.check(&definition.input_schema, arguments)
    }
}

impl Preflight {
    fn definition(&self, namespace: &str, tool: &str) -> Option<Arc<ToolDef>> {
        let namespace = self.known.catalog.namespace(namespace)?;
        let tool = namespace.tool(tool)?;
        let inner = &self.engine.inner;
        let (store, source) = (&*inner.deps.store, &namespace.source.id);
        let read = inner.tools.definition(store, source, &tool.raw, tool.digest);
        self.runtime.block_on(read).ok().flatten()
    }
}
