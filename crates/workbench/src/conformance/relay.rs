//! The direct surface in front of one source, for the suite: no policy, no journal, no names of
//! its own. Agents speak to the product's wire, the source is spoken to by the product's client;
//! this joins the two, as the engine will.

use crate::conformance::clock::RealClock;
use hub_core::catalog::{Source, ToolDef, Transport};
use hub_core::connection::{Secret, SecretRef};
use hub_core::digest::Digest;
use hub_core::id::SourceId;
use hub_core::limits;
use hub_core::owner::{ClientKey, Owner};
use hub_core::ports::{
    Answer, AskPerson, BoxFuture, Clock, Continuation, SecretError, SecretSource, Upstream,
    UpstreamCall, UpstreamError,
};
use hub_core::time::UnixMillis;
use hub_engine::{Caller, EngineError, Form, Forms, LiveForms, seal};
use hub_server::{Direct, DirectAnswer, DirectCall, DirectRefusal, Door};
use hub_testkit::fixtures;
use hub_upstream::{McpUpstream, Options};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError, Weak};
use tokio::sync::watch;

/// What a state is sealed for.
const PURPOSE: &str = "relayed call 1";
const DECLINE: &str = r#"{"action":"decline"}"#;

/// One source, shown as it is.
pub struct Relay {
    source: Arc<Source>,
    upstream: McpUpstream,
    clock: Arc<RealClock>,
    tools: Mutex<Arc<[ToolDef]>>,
    changes: watch::Sender<u64>,
    key: [u8; 32],
}

/// What a state of ours says.
#[derive(Serialize, Deserialize)]
struct Bound {
    owner: Owner,
    call: Digest,
    expires_at: UnixMillis,
    state: Option<String>,
}

struct NoSecrets;

impl SecretSource for NoSecrets {
    fn resolve<'a>(&'a self, at: &'a SecretRef) -> BoxFuture<'a, Result<Secret, SecretError>> {
        let error = SecretError { reference: at.to_string(), reason: "none here".to_owned() };
        Box::pin(async move { Err(error) })
    }
}

impl Relay {
    /// In front of the source at `url`, whose tools are read first.
    /// `older`: it is spoken to in the revision with sessions.
    pub async fn open(url: String, older: bool) -> Result<Arc<Self>, UpstreamError> {
        let clock = Arc::new(RealClock::start());
        let weak: Arc<Mutex<Weak<Self>>> = Arc::default();
        let told = weak.clone();
        let options = Options {
            on_list_changed: Some(Arc::new(move |_| {
                let relay = told.lock().unwrap_or_else(PoisonError::into_inner).upgrade();
                if let Some(relay) = relay {
                    crate::tasks::spawn(async move { relay.read().await.unwrap_or_default() });
                }
            })),
            ..Options::new("conformance")
        };
        let mut key = [0; 32];
        // Fixed where there is no randomness: it guards nothing but this test.
        getrandom::fill(&mut key).ok();
        let relay = Arc::new(Self {
            source: Arc::new(Source {
                id: SourceId::new("src_fixture"),
                transport: Transport::Http { url },
                ..fixtures::source("fixture")
            }),
            upstream: McpUpstream::new(Arc::new(NoSecrets), clock.clone(), options),
            clock,
            tools: Mutex::new(Arc::new([])),
            changes: watch::Sender::new(0),
            key,
        });
        *weak.lock().unwrap_or_else(PoisonError::into_inner) = Arc::downgrade(&relay);
        if older {
            relay.upstream.remember(&relay.source.id, "2025-11-25");
        }
        relay.read().await?;
        Ok(relay)
    }

    async fn read(&self) -> Result<(), UpstreamError> {
        let listing = self.upstream.list(&self.source, None).await?;
        *self.tools.lock().unwrap_or_else(PoisonError::into_inner) = listing.tools.into();
        self.changes.send_modify(|count| *count += 1);
        Ok(())
    }

    /// Where the agent goes on from.
    fn continued(
        &self,
        caller: &Caller,
        call: &DirectCall,
        bound_to: Digest,
    ) -> Result<Option<Continuation>, DirectRefusal> {
        let request_state = match &call.reply.state {
            None if call.reply.responses.is_empty() => return Ok(None),
            None => None,
            Some(state) => {
                let opened = seal::open::<Bound>(&self.key, PURPOSE, state).filter(|bound| {
                    bound.owner == caller.owner
                        && bound.call == bound_to
                        && bound.expires_at > self.clock.now()
                });
                let refused = || refusal(-32602, &EngineError::BadState.to_string());
                opened.ok_or_else(refused)?.state
            }
        };
        let responses = json!(call.reply.responses).to_string();
        Ok(Some(Continuation { request_state, responses }))
    }

    fn seal(&self, caller: &Caller, call: Digest, state: Option<String>) -> Option<String> {
        let mut nonce = [0; seal::NONCE];
        getrandom::fill(&mut nonce).ok()?;
        let expires_at = self.clock.now().plus(limits::REQUEST_STATE_LIFE_MS);
        let bound = Bound { owner: caller.owner.clone(), call, expires_at, state };
        seal::seal(&self.key, nonce, PURPOSE, &bound)
    }

    async fn relay(
        &self,
        caller: &Caller,
        call: DirectCall,
    ) -> Result<DirectAnswer, DirectRefusal> {
        let bound_to = Digest::of_parts([call.tool.as_bytes(), call.arguments.as_bytes()]);
        let mut continuation = self.continued(caller, &call, bound_to)?;
        for _ in 0..limits::FORM_ROUNDS {
            let answer = self.upstream.call(UpstreamCall {
                source: self.source.clone(),
                connection: None,
                tool: call.tool.clone(),
                arguments: call.arguments.clone(),
                has_output_schema: false,
                timeout_ms: limits::CALL_TIMEOUT_MS,
                continuation: continuation.take(),
                progress: call.progress.clone(),
                asks: asks(&caller.forms),
                may_wait: false,
                late: None,
                hand_on: Some(call.hand_on.clone()),
            });
            let (state, requests) = match answer.await.map_err(refused)? {
                Answer::InputRequired { request_state, requests } => (request_state, requests),
                Answer::Whole(json) | Answer::Value(json) => return Ok(DirectAnswer::Result(json)),
                Answer::ToolError(words) => return Err(refusal(-32603, &words)),
            };
            match &caller.forms {
                Forms::InputRequired => {
                    let state = self.seal(caller, bound_to, state);
                    let state = state.ok_or_else(|| refusal(-32603, "no state can be sealed"))?;
                    return Ok(DirectAnswer::Asks { requests, state });
                }
                Forms::Live(forms) => {
                    let responses = ask_all(forms.as_ref(), &requests).await;
                    continuation = Some(Continuation { request_state: state, responses });
                }
                Forms::None => return Err(refusal(-32603, "the source asks who cannot be asked")),
            }
        }
        Err(refusal(-32603, "the source asks too often"))
    }
}

fn refusal(code: i64, message: &str) -> DirectRefusal {
    DirectRefusal { code, message: message.to_owned(), data: None }
}

fn refused(error: UpstreamError) -> DirectRefusal {
    let code = error.status.filter(|code| *code < 0).unwrap_or(-32603);
    DirectRefusal { code, message: error.message, data: error.data }
}

/// Who answers where a source asks inside its call. An agent that is asked by `input_required`
/// could only be asked by ending the call; the engine does that with runs, this does not.
fn asks(forms: &Forms) -> Option<Arc<dyn AskPerson>> {
    match forms {
        Forms::None => None,
        Forms::InputRequired => Some(Arc::new(Live(None))),
        Forms::Live(forms) => Some(Arc::new(Live(Some(forms.clone())))),
    }
}

struct Live(Option<Arc<dyn LiveForms>>);

impl AskPerson for Live {
    fn ask<'a>(&'a self, params: &'a str) -> BoxFuture<'a, String> {
        Box::pin(async move {
            let params = serde_json::from_str(params).unwrap_or_default();
            match &self.0 {
                Some(forms) => ask_one(forms.as_ref(), &params).await.to_string(),
                None => DECLINE.to_owned(),
            }
        })
    }
}

/// Every question by a form, one after the other.
async fn ask_all(forms: &dyn LiveForms, requests: &str) -> String {
    let requests: BTreeMap<String, Value> = serde_json::from_str(requests).unwrap_or_default();
    let mut responses = Map::new();
    for (key, request) in requests {
        responses.insert(key, ask_one(forms, &request["params"]).await);
    }
    Value::Object(responses).to_string()
}

async fn ask_one(forms: &dyn LiveForms, params: &Value) -> Value {
    let form = Form {
        message: params["message"].as_str().unwrap_or_default().to_owned(),
        requested_schema: params["requestedSchema"].clone(),
    };
    forms.ask(&form).await.unwrap_or_else(|| json!({ "action": "cancel" }))
}

impl Door for Relay {
    fn authenticate<'a>(
        &'a self,
        token: &'a str,
    ) -> BoxFuture<'a, Result<Option<ClientKey>, EngineError>> {
        let known = token == super::TOKEN;
        Box::pin(std::future::ready(Ok(known.then(|| fixtures::key("suite")))))
    }

    fn ready(&self) -> BoxFuture<'_, Result<(), EngineError>> {
        Box::pin(std::future::ready(Ok(())))
    }

    fn instructions(&self, _caller: &Caller) -> String {
        "One source, as it is.".to_owned()
    }
}

impl Direct for Relay {
    fn tools(&self) -> Arc<[ToolDef]> {
        self.tools.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn changes(&self) -> watch::Receiver<u64> {
        self.changes.subscribe()
    }

    fn call<'a>(
        &'a self,
        caller: &'a Caller,
        call: DirectCall,
    ) -> BoxFuture<'a, Result<DirectAnswer, DirectRefusal>> {
        Box::pin(self.relay(caller, call))
    }
}
