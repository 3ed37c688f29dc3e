//! The real listeners, on a real engine over a store in memory.

use crate::api::{self, Call};
use crate::client::{CallError, call};
use crate::listen::{Bound, HUB_SOCKET, Hello, ListenError, ServeConfig, serve};
use crate::mcp::url::UrlChoice;
use crate::tests::support::{Ask, rpc};
use hub_core::catalog::ToolDef;
use hub_core::error::RunErrorCode;
use hub_core::id::RunId;
use hub_core::limits::{LOOPBACK_CONNECTIONS, STREAM_SESSIONS};
use hub_core::owner::{ElicitationMode, Owner};
use hub_core::ports::ArgProblem;
use hub_core::ports::{
    BoxFuture, DeclareRequest, Declared, Driver, GuestFault, GuestSpec, KnownTools, Parameter,
    Prepare, PrepareError, Prepared, Started, Types,
};
use hub_engine::{Deps, Engine, EngineConfig, Screen};
use hub_testkit::{CharTokens, FakeClock, MemoryStore, ScriptedUpstream, SeededRandom};
use serde_json::{Value, json};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::sync::Arc;
use tempfile::TempDir;
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpStream, UnixStream};
use tokio::sync::oneshot;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

/// Ports that these tests never come to use.
pub struct Unused;

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
    fn signature(&self, _: &ToolDef, _: &hub_core::ports::TypeNames) -> String {
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
    let upstream = ScriptedUpstream::new(clock.clone());
    engine_on(MemoryStore::new(), upstream, clock, Arc::new(Unused)).await
}

/// An engine that runs nothing, with these ports.
pub async fn engine_on(
    store: Arc<MemoryStore>,
    upstream: Arc<ScriptedUpstream>,
    clock: Arc<FakeClock>,
    screen: Arc<dyn Screen>,
) -> Engine {
    let unused = Arc::new(Unused);
    let deps = Deps {
        store,
        upstream,
        driver: unused.clone(),
        others: Vec::new(),
        prepare: unused.clone(),
        types: unused,
        tokens: Arc::new(CharTokens),
        clock,
        random: Arc::new(SeededRandom::new(1)),
        screen,
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
async fn a_key_made_over_the_socket_opens_the_endpoint_and_the_pipe() {
    let hub = start().await;
    let socket = &hub.bound.hub_socket;
    let issue = api::keys::issue::Issue {
        client: "test".into(),
        mode: ElicitationMode::Browser,
        dedupe: true,
    };
    let issued = call(socket, &issue).await.unwrap();
    let keys = call(socket, &api::keys::list::List {}).await.unwrap();
    assert_eq!(keys, std::slice::from_ref(&issued.key));

    let greeting = json!({ "protocolVersion": "2025-11-25", "capabilities": {},
        "clientInfo": { "name": "test", "version": "1" } });
    let post = || {
        Ask::new(hub.bound.port, "POST", "/mcp")
            .with("Authorization", &format!("Bearer {}", issued.token))
            .with("Content-Type", "application/json")
            .body(rpc(1, "initialize", greeting.clone()))
    };
    let got = post().send().await;
    assert_eq!(got.json()["result"]["serverInfo"]["name"], "capabilities", "{got:?}");

    let hello = Hello { key: issued.token.clone(), client: None, choice: UrlChoice::default() };
    let stream = UnixStream::connect(&hub.bound.mcp_socket).await.unwrap();
    let (read, mut write) = stream.into_split();
    write.write_all(hello.line().as_bytes()).await.unwrap();
    write
        .write_all(format!("{}\n", rpc(1, "initialize", greeting.clone())).as_bytes())
        .await
        .unwrap();
    let mut lines = BufReader::new(read).lines();
    let first = lines.next_line().await.unwrap().unwrap();
    let answer: Value = serde_json::from_str(&first).unwrap();
    assert_eq!(answer["result"]["protocolVersion"], "2025-11-25");

    call(socket, &api::keys::revoke::Revoke { key: "test".into() }).await.unwrap();
    assert_eq!(post().send().await.status, 401);
    assert_eq!(Ask::new(hub.bound.port, "GET", "/readyz").send().await.status, 200);
    let status = call(socket, &api::hub::status::AskStatus {}).await.unwrap();
    assert_eq!(status.addresses, hub.bound.addresses);
    assert_eq!(status.engine.sources, 0);
}

#[tokio::test]
async fn the_terminal_executes_as_itself() {
    let hub = start().await;
    let socket = &hub.bound.hub_socket;
    let told = call(socket, &api::tools::execute::Execute::Code("1".into())).await.unwrap();
    assert!(told.is_error, "{told:?}");
    assert!(told.line.contains("nothing runs here"), "{told:?}");
    let runs = call(socket, &api::runs::list::List { limit: 5 }).await.unwrap();
    assert_eq!(runs[0].owner.key.as_str(), Owner::TERMINAL_KEY);
    let show = api::runs::show::Show { id: runs[0].id.to_string() };
    assert_eq!(call(socket, &show).await.unwrap().record, runs[0]);
    let again = api::tools::execute::Execute::Resume("last".into());
    assert_eq!(call(socket, &again).await.unwrap(), told);
    let none = api::runs::show::Show { id: "run_none".into() };
    let CallError::Refused(refusal) = call(socket, &none).await.unwrap_err() else { panic!() };
    assert_eq!(refusal.kind, crate::ErrorKind::NotFound);
}

#[tokio::test]
async fn a_pipe_too_many_is_refused() {
    let hub = start().await;
    let connect = || UnixStream::connect(&hub.bound.mcp_socket);
    let mut open = Vec::new();
    for _ in 0..STREAM_SESSIONS {
        open.push(connect().await.unwrap());
    }
    let mut lines = BufReader::new(connect().await.unwrap()).lines();
    let refusal = lines.next_line().await.unwrap().unwrap();
    assert!(refusal.contains("too many pipes"), "{refusal}");
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
async fn every_verb_has_its_route() {
    let hub = start().await;
    let paths = [
        api::sources::list::List::PATH,
        api::sources::show::Show::PATH,
        api::sources::add::Add::PATH,
        api::sources::update::Update::PATH,
        api::sources::refresh::Refresh::PATH,
        api::sources::remove::Remove::PATH,
        api::connections::list::List::PATH,
        api::connections::put::Put::PATH,
        api::connections::make_default::MakeDefault::PATH,
        api::connections::remove::Remove::PATH,
        api::policy::list::List::PATH,
        api::policy::set::Set::PATH,
        api::policy::unset::Unset::PATH,
        api::policy::explain::Explain::PATH,
        api::policy::history::History::PATH,
        api::policy::replace_file::ReplaceFile::PATH,
        api::keys::issue::Issue::PATH,
        api::keys::list::List::PATH,
        api::keys::revoke::Revoke::PATH,
        api::runs::list::List::PATH,
        api::runs::show::Show::PATH,
        api::runs::cancel::Cancel::PATH,
        api::runs::resume::Resume::PATH,
        api::runs::replay::Replay::PATH,
        api::waiting::list::List::PATH,
        api::waiting::decide::Decide::PATH,
        api::tools::search::Search::PATH,
        api::tools::describe::Describe::PATH,
        api::tools::execute::Execute::PATH,
        api::hub::gate::Gate::PATH,
        api::hub::open::Open::PATH,
        api::hub::status::AskStatus::PATH,
        api::hub::stop::Stop::PATH,
    ];
    for path in paths {
        let mut stream = UnixStream::connect(&hub.bound.hub_socket).await.unwrap();
        let text = format!(
            "POST {path} HTTP/1.1\r\nHost: hub\r\nContent-Length: 1\r\nConnection: close\r\n\r\n["
        );
        stream.write_all(text.as_bytes()).await.unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).await.unwrap();
        assert!(answer.starts_with("HTTP/1.1 400"), "{path}: {answer}");
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

#[tokio::test]
async fn one_connection_too_many_is_closed_and_room_comes_back() {
    let hub = start().await;
    let address = hub.bound.addresses[0];
    let mut held = Vec::new();
    for _ in 0..LOOPBACK_CONNECTIONS {
        held.push(TcpStream::connect(address).await.unwrap());
    }
    let answers = async |mut stream: TcpStream| {
        let ask = format!("GET /healthz HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\r\n");
        // Closed at once: writing may fail as well as reading.
        let _ = stream.write_all(ask.as_bytes()).await;
        let mut answer = String::new();
        let _ = stream.read_to_string(&mut answer).await;
        answer.starts_with("HTTP/1.1 200")
    };
    for address in hub.bound.addresses.clone() {
        let one_more = TcpStream::connect(address).await.unwrap();
        assert!(!answers(one_more).await, "both loopbacks count together");
    }
    let last = held.pop().unwrap();
    assert!(answers(last).await, "those that are open are served");
    loop {
        // The hub notices the end of a connection in its own time.
        if answers(TcpStream::connect(address).await.unwrap()).await {
            break;
        }
        tokio::task::yield_now().await;
    }
}
