//! `search` and `describe`, for agents as text and for programs as data.

use crate::api::{Caller, EngineError};
use crate::engine::{Engine, Known};
use hub_core::catalog::{Catalog, Namespace, Tool};
use hub_core::digest::Digest;
use hub_core::id::KeyId;
use hub_core::limits;
use hub_core::names;
use hub_core::policy::{self, Verdict};
use hub_core::ports::{DeclareBlock, DeclareRequest, Declared};
use hub_core::run::{CallIdentity, scope_digest};
use hub_core::search::{self, Query};
use serde_json::{Value, json};
use std::collections::BTreeMap;

impl Engine {
    /// The server instructions of MCP: what is connected, cut to fit.
    pub fn instructions(&self, _caller: &Caller) -> String {
        /// Namespaces named; the rest is counted.
        const NAMED: usize = 40;
        let known = self.known();
        let names: Vec<&str> =
            known.catalog.namespaces.iter().map(|n| n.source.namespace.as_str()).collect();
        let connected = match names.as_slice() {
            [] => "Nothing is connected yet; the user adds sources with `capabilities source add`."
                .to_owned(),
            names if names.len() > NAMED => {
                format!(
                    "Connected: {}, and {} more.",
                    names[..NAMED].join(", "),
                    names.len() - NAMED
                )
            }
            names => format!("Connected: {}.", names.join(", ")),
        };
        format!(
            "One hub for all of the user's tools. {connected} Find tools with search, read their \
             types with describe, then call many of them in one execute program."
        )
    }

    /// `search`: plain text.
    pub async fn search(
        &self,
        caller: &Caller,
        query: &str,
        namespace: Option<&str>,
    ) -> Result<String, EngineError> {
        self.asked(caller, Digest::of_parts([b"search", query.as_bytes()]));
        let known = self.known();
        let query = Query { text: query, namespace, limit: limits::SEARCH_TOOLS, offset: 0 };
        let key = &caller.owner.key;
        let found = search::search(&known.catalog, &query, &|n, t| verdict(&known, key, n, t));
        Ok(search::text(&known.catalog, &query, &found, &*self.inner.deps.tokens))
    }

    /// `describe`: TypeScript.
    pub async fn describe(
        &self,
        caller: &Caller,
        targets: &[String],
    ) -> Result<String, EngineError> {
        let named = targets.iter().map(String::as_bytes);
        self.asked(caller, Digest::of_parts(std::iter::once(&b"describe"[..]).chain(named)));
        if targets.is_empty() || targets.len() > limits::DESCRIBE_TARGETS {
            return Err(EngineError::Invalid(format!(
                "describe takes 1 to {} targets; this has {}",
                limits::DESCRIBE_TARGETS,
                targets.len()
            )));
        }
        let known = self.known();
        let (declared, missing) = self.declare(&known.catalog, targets).await?;
        let mut text = declared.text;
        for (target, closest) in missing {
            let closest = match closest.as_slice() {
                [] => "Find its name with search.".to_owned(),
                names => format!("Closest: {}.", names.join(", ")),
            };
            if !text.is_empty() && !text.ends_with('\n') {
                text.push('\n');
            }
            text.push_str(&format!("// There is no {target}. {closest}\n"));
        }
        Ok(text)
    }

    /// `hub.search(query, {namespace?, limit?, offset?})` of a program.
    pub(crate) fn guest_search(
        &self,
        catalog: &Catalog,
        key: &KeyId,
        arguments: &Value,
    ) -> Result<Value, String> {
        let known = self.known();
        let text = match &arguments[0] {
            Value::String(text) => text.as_str(),
            Value::Null => "",
            _ => return Err("hub.search takes a text and {namespace?, limit?, offset?}".into()),
        };
        let options = &arguments[1];
        let number = |name: &str, default: usize, most: usize| match &options[name] {
            Value::Null => Ok(default),
            value => match value.as_u64().and_then(|n| usize::try_from(n).ok()) {
                Some(n) => Ok(n.min(most)),
                None => Err(format!("{name} is a whole number from 0")),
            },
        };
        let query = Query {
            text,
            namespace: options["namespace"].as_str(),
            limit: number("limit", limits::SEARCH_TOOLS, 100)?,
            offset: number("offset", 0, usize::MAX)?,
        };
        let found = search::search(catalog, &query, &|n, t| verdict(&known, key, n, t));
        let items = found.hits.iter().map(|hit| {
            let namespace = &catalog.namespaces[hit.namespace];
            let tool = &namespace.tools[hit.tool];
            json!({
                "address": namespace.address(tool),
                "signature": &tool.signature,
                "description": &tool.summary,
                "asks": hit.asks,
            })
        });
        Ok(json!({
            "items": items.collect::<Vec<_>>(), "more": found.more, "hidden": found.hidden,
        }))
    }

    /// `hub.describe(target | targets)` of a program.
    pub(crate) async fn guest_describe(
        &self,
        catalog: &Catalog,
        arguments: &Value,
    ) -> Result<Value, String> {
        let targets: Vec<String> = match &arguments[0] {
            Value::String(target) => vec![target.clone()],
            Value::Array(targets) => {
                targets.iter().filter_map(|t| t.as_str().map(str::to_owned)).collect()
            }
            _ => Vec::new(),
        };
        if targets.is_empty() || targets.len() > limits::DESCRIBE_TARGETS {
            let most = limits::DESCRIBE_TARGETS;
            return Err(format!("hub.describe takes one target or an array of 1 to {most}"));
        }
        let (declared, missing) =
            self.declare(catalog, &targets).await.map_err(|e| e.to_string())?;
        let missing = missing
            .into_iter()
            .map(|(target, closest)| json!({ "target": target, "closest": closest }));
        Ok(json!({
            "declarations": declared.text,
            "missing": missing.collect::<Vec<_>>(),
            "omitted": declared.omitted,
        }))
    }

    async fn declare(
        &self,
        catalog: &Catalog,
        targets: &[String],
    ) -> Result<(Declared, Vec<(String, Vec<String>)>), EngineError> {
        let (wanted, mut missing) = resolve(catalog, targets);
        let mut blocks = Vec::new();
        for (name, want) in &wanted {
            let Some(namespace) = catalog.namespace(name) else { continue };
            let tools = self.definitions(namespace, |t| want.tools.contains(&*t.name)).await?;
            let all = match want.types.is_empty() {
                true => Vec::new(),
                false => self.definitions(namespace, |_| true).await?,
            };
            blocks.push(DeclareBlock {
                namespace: name,
                connections: &namespace.connections,
                names: &namespace.type_names,
                tools,
                types: want.types.clone(),
                all,
            });
        }
        if blocks.is_empty() {
            return Ok((Declared::default(), missing));
        }
        let deps = &self.inner.deps;
        let request =
            DeclareRequest { blocks, token_budget: limits::DESCRIBE_TOKENS, tokens: &*deps.tokens };
        let declared = deps.types.declare(&request);
        for target in &declared.missing {
            missing.push((target.clone(), closest(catalog, target)));
        }
        Ok((declared, missing))
    }

    async fn definitions(
        &self,
        namespace: &Namespace,
        wanted: impl Fn(&Tool) -> bool,
    ) -> Result<Vec<(String, std::sync::Arc<hub_core::catalog::ToolDef>)>, EngineError> {
        let mut out = Vec::new();
        for tool in namespace.tools.iter().filter(|t| wanted(t)) {
            let store = &*self.inner.deps.store;
            let source = &namespace.source.id;
            let read = self.inner.tools.definition(store, source, &tool.raw, tool.digest).await?;
            if let Some(definition) = read {
                out.push((tool.name.to_string(), definition));
            }
        }
        Ok(out)
    }
}

#[derive(Default)]
struct Wanted {
    tools: std::collections::BTreeSet<String>,
    types: Vec<String>,
}

type Missing = Vec<(String, Vec<String>)>;

/// Which tools and types the targets name, by namespace; a name that is no tool may be a type.
fn resolve(catalog: &Catalog, targets: &[String]) -> (BTreeMap<String, Wanted>, Missing) {
    let mut wanted: BTreeMap<String, Wanted> = BTreeMap::new();
    let mut missing = Vec::new();
    for target in targets {
        let target = target.trim();
        let (name, rest) = match target.split_once(['.', '[']) {
            Some((name, rest)) => (name, Some(rest.trim_matches(['[', ']', '"', '\'']))),
            None => (target, None),
        };
        let Some(namespace) = catalog.namespace(name) else {
            missing.push((target.to_owned(), closest(catalog, target)));
            continue;
        };
        let want = wanted.entry(name.to_owned()).or_default();
        match rest {
            None => want.tools.extend(namespace.tools.iter().map(|t| t.name.to_string())),
            Some(rest) => match namespace.tool(rest) {
                Some(tool) => {
                    want.tools.insert(tool.name.to_string());
                }
                None if rest.starts_with(|c: char| c.is_uppercase()) => {
                    want.types.push(rest.to_owned());
                }
                None => missing.push((target.to_owned(), closest(catalog, target))),
            },
        }
    }
    wanted.retain(|_, w| !w.tools.is_empty() || !w.types.is_empty());
    (wanted, missing)
}

/// Addresses most like `wanted`, at most 3; within its namespace where that exists.
pub(crate) fn closest(catalog: &Catalog, wanted: &str) -> Vec<String> {
    let (name, rest) = wanted.split_once('.').unwrap_or((wanted, ""));
    if let Some(namespace) = catalog.namespace(name) {
        let among = namespace.tools.iter().map(|t| &*t.name);
        let found = names::closest(rest, among, 3);
        return found.into_iter().map(|tool| format!("{name}.{tool}")).collect();
    }
    let among = catalog.namespaces.iter().map(|n| n.source.namespace.as_str());
    let found = names::closest(name, among, 3);
    if rest.is_empty() {
        return found;
    }
    let mut out = Vec::new();
    for namespace in found.iter().filter_map(|n| catalog.namespace(n)) {
        let tools = names::closest(rest, namespace.tools.iter().map(|t| &*t.name), 3);
        out.extend(tools.into_iter().map(|t| format!("{}.{t}", namespace.source.namespace)));
    }
    out.truncate(3);
    out
}

/// What policy says of calls of `tool` through its default connection, whose arguments are not
/// known yet. Asked of every match of a search: words and digests only where a rule needs them.
pub(crate) fn verdict(known: &Known, key: &KeyId, namespace: &Namespace, tool: &Tool) -> Verdict {
    let bound = known.rules.iter().any(|r| r.bound_to.is_some());
    let address = match known.rules.is_empty() {
        true => String::new(),
        false => namespace.address(tool),
    };
    let call = policy::Call {
        address: &address,
        connection: namespace.connections.first().map(String::as_str),
        client: key,
        arguments: None,
        annotations: tool.annotations,
        effect: tool.effect,
        free_destination: tool.free_destination,
        scope: bound.then(|| scope(known, namespace, tool, &address)),
    };
    policy::verdict(&known.rules, &call)
}

/// What an "always" rule for the tool and its default connection would be bound to.
pub(crate) fn scope(known: &Known, namespace: &Namespace, tool: &Tool, address: &str) -> Digest {
    let connections = known.connections.get(&namespace.source.id);
    let default = connections.and_then(|all| all.iter().find(|c| c.is_default));
    let name = default.map(|c| c.name.as_str());
    scope_as(known, namespace, tool, address, name)
}

/// The same through the connection of that name.
pub(crate) fn scope_as(
    known: &Known,
    namespace: &Namespace,
    tool: &Tool,
    address: &str,
    connection: Option<&str>,
) -> Digest {
    let connections = known.connections.get(&namespace.source.id);
    let connection =
        connections.and_then(|all| all.iter().find(|c| Some(c.name.as_str()) == connection));
    scope_digest(&CallIdentity {
        address,
        source: namespace.source.identity(),
        connection: connection.map(|c| c.name.as_str()),
        account: connection.map(|c| c.account()),
        definition: tool.digest,
    })
}
