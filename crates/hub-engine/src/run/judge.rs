//! Judging a call: by schema, connections and policy as they are at this moment.

use crate::engine::{Engine, Known};
use hub_core::catalog::{Effect, Namespace, Tool, ToolDef};
use hub_core::connection::Connection;
use hub_core::digest::Digest;
use hub_core::error::{ToolError, ToolErrorCode as Code};
use hub_core::id::{KeyId, PendingId};
use hub_core::journal::Resend;
use hub_core::machine::{Judged, Request, Ticket, WaitDraft};
use hub_core::pending::PendingKind;
use hub_core::policy::{self, Judgement, Verdict};
use hub_core::ports::StoreError;
use hub_core::run::{CallIdentity, call_digest, scope_digest};
use std::sync::Arc;

/// Everything a judged call is sent with, and what its pending shows.
#[derive(Clone)]
pub(crate) struct CallPlan {
    pub(crate) namespace: Arc<Namespace>,
    pub(crate) connection: Option<Arc<Connection>>,
    pub(crate) definition: Arc<ToolDef>,
    pub(crate) address: String,
    pub(crate) arguments: String,
    pub(crate) effect: Effect,
    pub(crate) digest: Digest,
    pub(crate) scope: Digest,
    pub(crate) rules_version: u64,
    pub(crate) sources_version: u64,
    pub(crate) reason: String,
    pub(crate) confirm: bool,
}

/// A judgement, with the plan where the call may ever go.
pub(crate) struct Judgment {
    pub(crate) judged: Judged,
    pub(crate) plan: Option<CallPlan>,
}

/// What the machine already knows of a call that continues a source's question.
pub(crate) struct Continues {
    pub(crate) state: String,
    pub(crate) answer: String,
    pub(crate) leg: u32,
    pub(crate) pending: PendingId,
}

impl Engine {
    /// Judges one call of a run whose owner has `key`.
    pub(crate) async fn judge(
        &self,
        key: &KeyId,
        request: &Request,
        continues: Option<Continues>,
    ) -> Result<Judgment, StoreError> {
        let known = self.known();
        match self.plan(&known, key, request).await? {
            Ok((plan, tool, judgement)) => Ok(self.verdict(plan, &tool, judgement, continues)),
            Err(error) => {
                let error = error.at(&request.op.address);
                Ok(Judgment { judged: Judged::Refuse(error), plan: None })
            }
        }
    }

    async fn plan(
        &self,
        known: &Known,
        key: &KeyId,
        request: &Request,
    ) -> Result<Result<(CallPlan, Tool, Judgement), ToolError>, StoreError> {
        let address = &request.op.address;
        let Some((namespace, tool)) = known.catalog.tool(address) else {
            return Ok(Err(gone(address)));
        };
        let arguments = match &request.arguments {
            Ok(arguments) => arguments,
            Err(reason) => {
                return Ok(Err(ToolError::new(Code::InvalidArguments, reason.to_string())));
            }
        };
        let (store, source) = (&*self.inner.deps.store, &namespace.source);
        let read = self.inner.tools.definition(store, &source.id, &tool.raw, tool.digest).await?;
        let Some(definition) = read else { return Ok(Err(gone(address))) };
        let problems = self.inner.deps.types.check(&definition.input_schema, &arguments.value);
        if !problems.is_empty() {
            return Ok(Err(invalid(&problems)));
        }
        let connection = match connection(known, namespace, request.op.connection.as_deref()) {
            Ok(connection) => connection,
            Err(error) => return Ok(Err(error)),
        };
        let identity = CallIdentity {
            address,
            source: source.identity(),
            connection: connection.as_ref().map(|c| c.name.as_str()),
            account: connection.as_ref().map(|c| c.account()),
            definition: tool.digest,
        };
        let (digest, scope) =
            (call_digest(&identity, &arguments.canonical), scope_digest(&identity));
        let call = policy::Call {
            address,
            connection: identity.connection,
            client: key,
            arguments: Some(&arguments.value),
            annotations: tool.annotations,
            effect: tool.effect,
            free_destination: tool.free_destination,
            scope: Some(scope),
        };
        let judgement = policy::judge(&known.rules, &call);
        let plan = CallPlan {
            namespace: namespace.clone(),
            connection,
            definition,
            address: address.clone(),
            arguments: arguments.canonical.clone(),
            effect: tool.effect,
            digest,
            scope,
            rules_version: known.rules_version,
            sources_version: known.sources_version,
            reason: judgement.reason.clone(),
            confirm: judgement.verdict == Verdict::Confirm,
        };
        Ok(Ok((plan, tool.clone(), judgement)))
    }

    fn verdict(
        &self,
        plan: CallPlan,
        tool: &Tool,
        judgement: Judgement,
        continues: Option<Continues>,
    ) -> Judgment {
        let mut ticket = Ticket {
            digest: plan.digest,
            scope: plan.scope,
            resend: resend(tool),
            decision: None,
            granted: false,
            confirmed: false,
            leg: 0,
            continuation: None,
        };
        let judged = match (judgement.verdict, continues) {
            (Verdict::Deny, _) => {
                let message = format!("policy denies this call: {}", judgement.reason);
                let error = ToolError::new(Code::Denied, message).at(&plan.address);
                Judged::Refuse(error.hint("Do not retry; go on without it or tell the user."))
            }
            // The person let the call go once and now answered its source: it goes on.
            (_, Some(continues)) => {
                ticket.decision = Some((continues.pending, plan.digest));
                ticket.leg = continues.leg;
                ticket.continuation = Some((continues.state, continues.answer));
                Judged::Allow(ticket)
            }
            (Verdict::Allow, None) => Judged::Allow(ticket),
            (Verdict::Ask | Verdict::Confirm, None) => {
                let draft = self.draft(&plan, PendingKind::Approval);
                Judged::Ask { ticket, draft }
            }
        };
        Judgment { judged, plan: Some(plan) }
    }

    /// A pending for the call.
    pub(crate) fn draft(&self, plan: &CallPlan, kind: PendingKind) -> WaitDraft {
        let id = PendingId::fresh(self.bits());
        WaitDraft {
            id,
            kind,
            digest: plan.digest,
            scope: plan.scope,
            confirm: plan.confirm,
            question: None,
        }
    }
}

fn resend(tool: &Tool) -> Resend {
    let a = tool.annotations;
    match tool.effect {
        Effect::Read => Resend::Always,
        Effect::Effect if a.idempotent_hint == Some(true) && a.destructive_hint == Some(false) => {
            Resend::Shortly
        }
        Effect::Effect => Resend::Never,
    }
}

fn gone(address: &str) -> ToolError {
    let message = format!("{address} is no longer there");
    ToolError::new(Code::ToolGone, message).hint("Search for a tool that does the same.")
}

fn invalid(problems: &[hub_core::ports::ArgProblem]) -> ToolError {
    /// Problems named in one message.
    const NAMED: usize = 8;
    let mut text: Vec<String> = problems.iter().take(NAMED).map(ToString::to_string).collect();
    if problems.len() > NAMED {
        text.push(format!("and {} more", problems.len() - NAMED));
    }
    ToolError::new(Code::InvalidArguments, text.join("; "))
        .hint("Read the tool's types with hub.describe or describe; nothing was sent.")
}

/// The connection a call uses: the one asked for, else the default. Never another in silence.
fn connection(
    known: &Known,
    namespace: &Namespace,
    asked: Option<&str>,
) -> Result<Option<Arc<Connection>>, ToolError> {
    let connections = known.connections.get(&namespace.source.id).map_or(&[][..], Vec::as_slice);
    let names = || {
        let names: Vec<&str> = connections.iter().map(|c| c.name.as_str()).collect();
        match names.as_slice() {
            [] => "this source has no connections".to_owned(),
            names => format!("it has {}", names.join(", ")),
        }
    };
    match asked {
        Some(name) => match connections.iter().find(|c| c.name == name) {
            Some(connection) => Ok(Some(connection.clone())),
            None => {
                let source = &namespace.source.namespace;
                let message = format!("{source} has no connection {name:?}; {}", names());
                Err(ToolError::new(Code::UnknownConnection, message))
            }
        },
        None if connections.is_empty() => Ok(None),
        None => match connections.iter().find(|c| c.is_default) {
            Some(connection) => Ok(Some(connection.clone())),
            None => {
                let message = format!("no default connection is set; {}", names());
                let error = ToolError::new(Code::UnknownConnection, message);
                Err(error.hint("Name one: { connection: \"…\" } as the second argument."))
            }
        },
    }
}
