//! Finding out which revision a server speaks: the stateless hello first (`server/discover`),
//! the old handshake (`initialize`) where that brings nothing.

use crate::fault::{Fault, bad_response};
use crate::session::{Ask, Hello, Link, modern_meta};
use crate::wire::{LEGACY, MODERN, RpcError, notification, raw};
use hub_core::ports::{Clock, Sent};
use serde_json::{Map, Value, json};
use std::sync::atomic::{AtomicI64, Ordering};

/// How a source was spoken to the last time; where to begin the next time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Era {
    /// 2026-07-28.
    Modern,
    /// With `initialize`.
    Legacy,
    /// With `initialize`, over HTTP+SSE.
    LegacySse,
}

/// Who says hello, and how.
pub(crate) struct Greeting<'a> {
    pub link: &'a dyn Link,
    pub ids: &'a AtomicI64,
    pub client: &'a Value,
    pub elicitation: bool,
    pub clock: &'a dyn Clock,
    pub probe_ms: u64,
}

impl Greeting<'_> {
    fn next_id(&self) -> i64 {
        self.ids.fetch_add(1, Ordering::SeqCst)
    }

    /// The stateless hello. None: the server answered, and knows only older revisions.
    pub async fn discover(&self) -> Result<Option<Hello>, Fault> {
        let params = raw(&json!({"_meta": modern_meta(self.client, false)}));
        let ask = || {
            let params = params.clone();
            Ask { id: self.next_id(), method: "server/discover", params, headers: vec![] }
        };
        let result = match self.link.exchange(ask()).await {
            // It refuses the version and yet offers it: it is asked once more.
            Err(Fault::Rpc(error)) if offers_modern(&error) => self.link.exchange(ask()).await?,
            answer => answer?,
        };
        let result: Value = serde_json::from_str(result.get()).unwrap_or_default();
        let versions = result.get("supportedVersions").and_then(Value::as_array);
        if !versions.is_some_and(|versions| versions.iter().any(|v| v == MODERN)) {
            return Ok(None);
        }
        let info = result.get("_meta").and_then(|m| m.get("io.modelcontextprotocol/serverInfo"));
        Ok(Some(hello(MODERN.to_owned(), info, &result)))
    }

    /// The old handshake, down the ladder of versions where the server refuses the newest.
    pub async fn initialize(&self) -> Result<Hello, Fault> {
        let mut tried = vec![LEGACY[0]];
        loop {
            let version = tried[tried.len() - 1];
            let params = raw(&json!({
                "protocolVersion": version,
                "capabilities": capabilities(version, self.elicitation),
                "clientInfo": self.client,
            }));
            let ask = Ask { id: self.next_id(), method: "initialize", params, headers: vec![] };
            match self.link.exchange(ask).await {
                Ok(result) => return self.initialized(result.get()).await,
                Err(fault) => match older(&fault, &tried) {
                    Some(version) => tried.push(version),
                    None => return Err(fault),
                },
            }
        }
    }

    async fn initialized(&self, result: &str) -> Result<Hello, Fault> {
        let result: Value = serde_json::from_str(result).unwrap_or_default();
        let Some(version) = result.get("protocolVersion").and_then(Value::as_str) else {
            let message = "the server's answer to initialize names no protocol version";
            return Err(bad_response(Sent::No, message).into());
        };
        self.link.speaks(version);
        // A server that answered the handshake and refuses this can still be spoken to.
        let ready = notification("notifications/initialized", &json!({}));
        if let Err(fault) = self.link.tell(ready).await {
            tracing::debug!(?fault, "notifications/initialized was refused");
        }
        Ok(hello(version.to_owned(), result.get("serverInfo"), &result))
    }

    /// Over a pipe, where nothing but its answers tells what a server understands. A server that
    /// stays silent on the modern hello gets the old one too, in the same process (it may still
    /// be starting, and killing it would begin the start again); the first answer counts.
    pub async fn over_pipe(&self, legacy_only: bool) -> Result<Hello, Fault> {
        if legacy_only {
            return self.initialize().await;
        }
        let mut discover = Box::pin(self.discover());
        tokio::select! {
            answer = &mut discover => match answer {
                Ok(Some(hello)) => return Ok(hello),
                Err(Fault::Other(error)) => return Err(error.into()),
                _ => return self.initialize().await,
            },
            () = self.clock.sleep(self.probe_ms) => {}
        }
        let mut initialize = Box::pin(self.initialize());
        tokio::select! {
            biased;
            answer = &mut discover => match answer {
                Ok(Some(hello)) => Ok(hello),
                _ => initialize.await,
            },
            answer = &mut initialize => match answer {
                Err(Fault::Rpc(refused)) => match discover.await {
                    Ok(Some(hello)) => Ok(hello),
                    _ => Err(Fault::Rpc(refused)),
                },
                answer => answer,
            },
        }
    }
}

/// An error about the version (`-32022`) that names ours among those supported.
fn offers_modern(error: &RpcError) -> bool {
    let supported = error.data.as_ref().and_then(|data| data.get("supported")?.as_array());
    error.code == -32022 && supported.is_some_and(|all| all.iter().any(|v| v == MODERN))
}

fn hello(version: String, info: Option<&Value>, result: &Value) -> Hello {
    let text = |value: Option<&Value>| value.and_then(Value::as_str).unwrap_or_default().to_owned();
    let (name, build) =
        (text(info.and_then(|i| i.get("name"))), text(info.and_then(|i| i.get("version"))));
    Hello {
        version,
        server: format!("{name} {build}").trim().to_owned(),
        instructions: result.get("instructions").and_then(Value::as_str).map(str::to_owned),
        capabilities: result.get("capabilities").cloned().unwrap_or_default(),
    }
}

/// What we declare in a revision: older ones know fewer words.
fn capabilities(version: &str, elicitation: bool) -> Value {
    let mut capabilities = Map::new();
    if elicitation && version >= "2025-11-25" {
        capabilities.insert("elicitation".to_owned(), json!({"form": {}, "url": {}}));
    } else if elicitation && version >= "2025-06-18" {
        capabilities.insert("elicitation".to_owned(), json!({}));
    }
    Value::Object(capabilities)
}

/// The version to try after a refusal: one the server names, else the next older one; none where
/// the refusal is about something else.
fn older(fault: &Fault, tried: &[&str]) -> Option<&'static str> {
    let (text, sure) = match fault {
        Fault::Rpc(error) => {
            let data = error.data.as_ref().map(Value::to_string).unwrap_or_default();
            (format!("{} {data}", error.message), false)
        }
        Fault::Http(refusal) if refusal.status == 400 => (refusal.text.clone(), true),
        _ => return None,
    };
    let untried = || LEGACY.into_iter().filter(|version| !tried.contains(version));
    let named = untried().find(|version| text.contains(version));
    let about_version = sure || text.to_lowercase().contains("version");
    named.or_else(|| about_version.then(|| untried().next()).flatten())
}

#[cfg(test)]
#[path = "era_tests.rs"]
mod tests;
