//! The globals of programs that begin now. Made once per state of the catalogue, because every
//! program is pinned to them and they name every tool.

use crate::engine::Known;
use hub_core::ports::{GuestNamespace, GuestTool};
use hub_core::run::Blob;
use std::sync::Arc;

/// The name table, and the blob it is kept as.
#[derive(Clone, Debug)]
pub(crate) struct Names {
    pub(crate) table: Arc<[GuestNamespace]>,
    pub(crate) blob: Blob,
}

impl Known {
    /// What a program that begins now is pinned to.
    pub(crate) fn names(&self) -> &Names {
        self.names.get_or_init(|| {
            let table = name_table(self);
            // Names and digests: nothing of it can fail to be written.
            let blob = serde_json::to_vec(&table).unwrap_or_default().into();
            Names { table: table.into(), blob }
        })
    }
}

fn name_table(known: &Known) -> Vec<GuestNamespace> {
    let namespaces = known.catalog.namespaces.iter().map(|n| GuestNamespace {
        name: n.source.namespace.clone(),
        tools: n
            .tools
            .iter()
            .map(|t| GuestTool {
                name: t.name.to_string(),
                raw: t.raw.to_string(),
                definition: t.digest,
            })
            .collect(),
    });
    namespaces.collect()
}
