//! The real listeners, on a real engine over a store in memory.

use crate::api::{self, Call};
use crate::client::{CallError, call};
use crate::listen::{Bound, HUB_SOCKET, Hello, ListenError, ServeConfig, serve};
use crate::mcp::url::UrlChoice;
use crate::tests::support::Ask;
use hub_core::catalog::ToolDef;
use hub_core::error::RunErrorCode;
use hub_core::id::RunId;
use hub_core::ports::ArgProblem;
use hub_core::ports::{
    BoxFuture, DeclareRequest, Declared, Driver, GuestFault, GuestSpec, KnownTools, Parameter,
    Prepare, PrepareError, Prepared, Started, Types,
};
use hub_engine::{Deps, Engine, EngineConfig, Screen};
use hub_testkit::{CharTokens, FakeClock, MemoryStore, ScriptedUpstream, SeededRandom};
use serde_json::Value;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::sync::Arc;
use tempfile::TempDir;
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, UnixStream};
use tokio::sync::oneshot;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

/// Ports that these tests never come to use.
struct Unused;

impl Driver for Unused {
    fn engine_id(&self) -> String {
        "none".into()
    }
    fn start(&self, _: GuestSpec) -> BoxFuture<'_, Started> {
        Box::pin(async { Err(GuestFault::Busy) })
    }
}

impl Prepare for Unused {
    fn prepare(&self, _: &str, _: &dyn KnownTools) -> Result<Prepared, PrepareError> {
        Err(PrepareError {
            code: RunErrorCode::SyntaxError,
            message: "nothing runs here".into(),
            hint: None,
            address: None,
            line: None,
            column: None,
        })
    }
}

impl Types for Unused {
    fn signature(&self, _: &ToolDef) -> String {
        "(): Promise<unknown>".into()
    }
    fn parameters(&self, _: &ToolDef) -> Vec<Parameter> {
        Vec::new()
    }
    fn declare(&self, _: &DeclareRequest<'_>) -> Declared {
        Declared::default()
    }
    fn check(&self, _: &Value, _: &Value) -> Vec<ArgProblem> {
        Vec::new()
    }
}

impl Screen for Unused {
    fn open(&self, _: &RunId) -> bool {
        false
    }
}

async fn engine() -> Engine {
    let clock = Arc::new(FakeClock::default());
    let unused = Arc::new(Unused);
    let deps = Deps {
        store: MemoryStore::new(),
        upstream: ScriptedUpstream::new(clock.clone()),
        driver: unused.clone(),
        prepare: unused.clone(),
        types: unused.clone(),
        tokens: Arc::new(CharTokens),
        clock,
        random: Arc::new(SeededRandom::new(1)),
        screen: unused,
    };
    Engine::open(deps, EngineConfig::default()).await.unwrap()
}

struct Hub {
    bound: Bound,
    stop: CancellationToken,
    served: JoinHandle<Result<(), ListenError>>,
    folder: TempDir,
}

async fn start() -> Hub {
    let folder = TempDir::new().unwrap();
    let stop = CancellationToken::new();
    let (told, bound) = oneshot::channel();
    let config = config(folder.path(), 0, stop.clone(), Some(told));
    let served = tokio::spawn(serve(engine().await, config));
    Hub { bound: bound.await.unwrap(), stop, served, folder }
}

fn config(
    folder: &Path,
    port: u16,
    stop: CancellationToken,
    bound: Option<oneshot::Sender<Bound>>,
) -> ServeConfig {
    ServeConfig { port, sockets: folder.join("run"), stop, bound }
}

#[tokio::test]
async fn both_loopbacks_answer_on_one_port_and_sockets_are_closed_to_others() {
    let hub = start().await;
    for address in &hub.bound.addresses {
        assert!(address.ip().is_loopback());
        assert_eq!(address.port(), hub.bound.port);
    }
    assert_eq!(Ask::new(hub.bound.port, "GET", "/healthz").send().await.status, 200);
    let mode = |path: &Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(&hub.folder.path().join("run")), 0o700);
    assert_eq!(mode(&hub.bound.hub_socket), 0o600);
    assert_eq!(mode(&hub.bound.mcp_socket), 0o600);
}

#[tokio::test]
async fn a_taken_loopback_stops_the_start() {
    for taken in ["127.0.0.1:0", "[::1]:0"] {
        let Ok(other) = TcpListener::bind(taken).await else {
            println!("skipped: no {taken} here");
            continue;
        };
        let port = other.local_addr().unwrap().port();
        let folder = TempDir::new().unwrap();
        let config = config(folder.path(), port, CancellationToken::new(), None);
        let refused = serve(engine().await, config).await.unwrap_err();
        assert!(matches!(refused, ListenError::Address { .. }), "{refused}");
        assert!(refused.to_string().contains(&port.to_string()), "{refused}");
    }
}

#[tokio::test]
async fn a_second_hub_is_refused_and_stale_files_are_not() {
    let hub = start().await;
    let again = config(hub.folder.path(), 0, CancellationToken::new(), None);
    let refused = serve(engine().await, again).await.unwrap_err();
    assert!(matches!(refused, ListenError::Running(_)), "{refused}");
    hub.stop.cancel();
    hub.served.await.unwrap().unwrap();
    assert!(!hub.bound.hub_socket.exists());

    // What a killed hub leaves behind.
    let socket = hub.folder.path().join("run").join(HUB_SOCKET);
    drop(std::os::unix::net::UnixListener::bind(&socket).unwrap());
    assert!(socket.exists());
    let (told, bound) = oneshot::channel();
    let stop = CancellationToken::new();
    let config = config(hub.folder.path(), 0, stop.clone(), Some(told));
    let served = tokio::spawn(serve(engine().await, config));
    bound.await.unwrap();
    stop.cancel();
    served.await.unwrap().unwrap();
}

#[tokio::test]
async fn a_path_too_long_is_said_to_be() {
    let folder = TempDir::new().unwrap();
    let long = folder.path().join("x".repeat(120));
    let config = config(&long, 0, CancellationToken::new(), None);
    let refused = serve(engine().await, config).await.unwrap_err();
    assert!(matches!(refused, ListenError::PathTooLong(_)), "{refused}");
}

#[tokio::test]
async fn the_command_line_can_stop_the_hub() {
    let hub = start().await;
    call(&hub.bound.hub_socket, &api::hub::stop::Stop {}).await.unwrap();
    hub.served.await.unwrap().unwrap();
    let gone = call(&hub.bound.hub_socket, &api::hub::stop::Stop {}).await.unwrap_err();
    assert!(matches!(gone, CallError::NoHub(_)), "{gone}");
}

#[tokio::test]
async fn a_pipe_without_a_key_hears_why() {
    let hub = start().await;
    let hello = Hello { key: "nonsense".into(), client: None, choice: UrlChoice::default() };
    for line in ["hello\n".to_owned(), "{}\n".to_owned(), hello.line()] {
        let stream = UnixStream::connect(&hub.bound.mcp_socket).await.unwrap();
        let (read, mut write) = stream.into_split();
        write.write_all(line.as_bytes()).await.unwrap();
        let mut lines = BufReader::new(read).lines();
        let refusal: Value =
            serde_json::from_str(&lines.next_line().await.unwrap().unwrap()).unwrap();
        assert_eq!(refusal["error"]["code"], 1, "{line}");
        assert!(lines.next_line().await.unwrap().is_none());
    }
}

#[tokio::test]
async fn what_is_no_verb_is_refused_in_words() {
    let hub = start().await;
    #[derive(serde::Serialize, serde::Deserialize)]
    struct Wrong {}
    impl Call for Wrong {
        const PATH: &'static str = "/api/sources/show";
        type Answer = ();
    }
    let refused = call(&hub.bound.hub_socket, &Wrong {}).await.unwrap_err();
    let CallError::Refused(refusal) = refused else { panic!("{refused}") };
    assert_eq!(refusal.kind, crate::ErrorKind::Invalid);
    assert!(refusal.message.contains("name"), "{refusal}");
}
