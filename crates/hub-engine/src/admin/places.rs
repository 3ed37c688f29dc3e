//! Where in its program a call stands that waits, for the person who decides about it.

use crate::api::{EngineError, RunDetail};
use crate::engine::Engine;
use hub_core::id::PendingId;
use hub_core::ports::{Place, Sought};
use serde_json::Value;
use std::collections::HashMap;

struct Waiting {
    id: PendingId,
    namespace: String,
    names: [String; 2],
    arguments: Value,
}

impl Engine {
    /// For each call of the run that waits, the places of the code that may have made it, as far
    /// as the text shows.
    pub async fn places(
        &self,
        run: &RunDetail,
    ) -> Result<HashMap<PendingId, Vec<Place>>, EngineError> {
        let mut waiting = Vec::new();
        for view in run.pendings.iter().filter(|view| view.pending.decision.is_none()) {
            let pending = &view.pending;
            let Some((namespace, name)) = pending.address.split_once('.') else { continue };
            let full = self.pending_arguments(pending.id.as_str()).await?;
            let known = self.known();
            let raw = known.catalog.tool(&pending.address).map(|(_, tool)| tool.raw.to_string());
            waiting.push(Waiting {
                id: pending.id.clone(),
                namespace: namespace.to_owned(),
                names: [name.to_owned(), raw.unwrap_or_else(|| name.to_owned())],
                arguments: serde_json::from_str(&full).unwrap_or_default(),
            });
        }
        if waiting.is_empty() {
            return Ok(HashMap::new());
        }
        let (prepare, code) = (self.inner.deps.prepare.clone(), run.record.code.clone());
        let found = tokio::task::spawn_blocking(move || {
            let sought: Vec<Sought<'_>> = waiting.iter().map(Waiting::sought).collect();
            let places = prepare.places(&code, &sought);
            waiting.iter().map(|one| one.id.clone()).zip(places).collect()
        });
        // Nothing is lost without them.
        Ok(found.await.unwrap_or_default())
    }
}

impl Waiting {
    fn sought(&self) -> Sought<'_> {
        Sought {
            namespace: &self.namespace,
            names: [&self.names[0], &self.names[1]],
            arguments: &self.arguments,
        }
    }
}
