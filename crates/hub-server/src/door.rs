//! What the MCP side needs of the engine, so that the wire is tested without one: who may come
//! in ([`Door`]), and what a surface shows them ([`Code`]; the direct surface has its own file).

use hub_core::id::KeyId;
use hub_core::owner::ClientKey;
use hub_core::ports::BoxFuture;
use hub_engine::{Caller, Engine, EngineError, Execute, ExecuteAnswer, FormReply, Wait};

/// Who may come in, whatever they are shown.
pub trait Door: Send + Sync + 'static {
    /// The key behind a token.
    fn authenticate<'a>(
        &'a self,
        token: &'a str,
    ) -> BoxFuture<'a, Result<Option<ClientKey>, EngineError>>;

    /// Whether a key still opens anything: a pipe stays open longer than its key may hold.
    fn opens<'a>(&'a self, _key: &'a KeyId) -> BoxFuture<'a, Result<bool, EngineError>> {
        Box::pin(std::future::ready(Ok(true)))
    }

    /// Whether the hub can do its work.
    fn ready(&self) -> BoxFuture<'_, Result<(), EngineError>>;

    /// The server instructions for this caller.
    fn instructions(&self, caller: &Caller) -> String;
}

/// The code surface: three tools.
pub trait Code: Door {
    /// Plain text.
    fn search<'a>(
        &'a self,
        caller: &'a Caller,
        query: &'a str,
        namespace: Option<&'a str>,
    ) -> BoxFuture<'a, Result<String, EngineError>>;

    /// TypeScript.
    fn describe<'a>(
        &'a self,
        caller: &'a Caller,
        targets: &'a [String],
    ) -> BoxFuture<'a, Result<String, EngineError>>;

    /// Dropping the future takes attendance away, nothing more.
    fn execute<'a>(
        &'a self,
        caller: &'a Caller,
        what: Execute,
        reply: FormReply,
        wait: Wait,
    ) -> BoxFuture<'a, Result<ExecuteAnswer, EngineError>>;
}

impl Door for Engine {
    fn authenticate<'a>(
        &'a self,
        token: &'a str,
    ) -> BoxFuture<'a, Result<Option<ClientKey>, EngineError>> {
        Box::pin(Engine::authenticate(self, token))
    }

    fn opens<'a>(&'a self, key: &'a KeyId) -> BoxFuture<'a, Result<bool, EngineError>> {
        Box::pin(async move {
            let keys = self.keys().await?;
            Ok(keys.iter().any(|k| k.id == *key && k.revoked_at.is_none()))
        })
    }

    fn ready(&self) -> BoxFuture<'_, Result<(), EngineError>> {
        Box::pin(async { self.status().await.map(drop) })
    }

    fn instructions(&self, caller: &Caller) -> String {
        Engine::instructions(self, caller)
    }
}

impl Code for Engine {
    fn search<'a>(
        &'a self,
        caller: &'a Caller,
        query: &'a str,
        namespace: Option<&'a str>,
    ) -> BoxFuture<'a, Result<String, EngineError>> {
        Box::pin(Engine::search(self, caller, query, namespace))
    }

    fn describe<'a>(
        &'a self,
        caller: &'a Caller,
        targets: &'a [String],
    ) -> BoxFuture<'a, Result<String, EngineError>> {
        Box::pin(Engine::describe(self, caller, targets))
    }

    fn execute<'a>(
        &'a self,
        caller: &'a Caller,
        what: Execute,
        reply: FormReply,
        wait: Wait,
    ) -> BoxFuture<'a, Result<ExecuteAnswer, EngineError>> {
        Box::pin(Engine::execute(self, caller, what, reply, wait))
    }
}
