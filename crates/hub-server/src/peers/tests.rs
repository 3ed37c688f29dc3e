//! What is read of the system, and who counts as a client.

use super::clients::{Above, Clients};
use super::process::{Line, Process};
use super::sockets::find;
use hub_core::id::{KeyId, PrincipalId};
use hub_core::owner::{ClientKey, ElicitationMode};
use hub_core::time::UnixMillis;
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

fn process(pid: u32, parent: u32, command: &str) -> Process {
    let command: Vec<String> = command.split('|').map(str::to_owned).collect();
    let name = command[0].rsplit('/').next().unwrap().to_owned();
    Process { pid, parent, started: 0, name, command }
}

/// A chain from the commands of its processes, the nearest first; the last is process 1.
fn chain(commands: &[&str]) -> Vec<Process> {
    let count = commands.len() as u32;
    let numbered = commands.iter().zip((1..=count).rev());
    numbered.map(|(command, pid)| process(pid, pid - 1, command)).collect()
}

fn key(client: &str) -> ClientKey {
    ClientKey {
        id: KeyId::new(format!("key_{client}")),
        principal: PrincipalId::new("p"),
        client: client.to_owned(),
        mode: ElicitationMode::Browser,
        dedupe: true,
        created_at: UnixMillis(0),
        revoked_at: None,
    }
}

/// Who asks, in words; none where nobody is known.
async fn above(clients: &Clients, pid: u32) -> Option<String> {
    match clients.above(Some(pid)).await {
        Above::Nobody => None,
        Above::Client { told, .. } => Some(told),
        Above::Unseen => Some("unseen".to_owned()),
    }
}

#[test]
fn whoever_started_a_pipe_is_a_client_and_nobody_else() {
    const PIPE: &str = "capabilities|--home|x|hub|stdio";
    // Below the pipe itself, and how many of these are the client's, the nearest first.
    let table: [(&[&str], usize); 14] = [
        (&["agent", "zsh", "tmux", "systemd"], 1),
        (&["sh|-c|exec capabilities hub stdio", "agent", "zsh", "systemd"], 2),
        (&["/bin/bash|-lc|capabilities hub stdio 2>>log", "agent", "systemd"], 2),
        (&["timeout|60|capabilities|hub|stdio", "sh|-c|timeout 60 x hub stdio", "agent"], 3),
        // What an agent is told is no command of its own.
        (&["claude|-p|what does hub stdio do?", "-zsh", "login", "systemd"], 1),
        (&["node|agent.js|--task|hub stdio", "bash", "systemd"], 1),
        // A shell that somebody sits at.
        (&["-zsh", "sshd"], 1),
        // What the system starts, or took in, is started by nobody.
        (&["systemd", "systemd"], 0),
        (&["sh|-c|capabilities hub stdio", "systemd", "systemd"], 1),
        (&["sshd", "sshd", "systemd"], 0),
        (&["bash|-c|capabilities hub stdio", "sshd-session", "sshd", "init"], 1),
        (&["tini"], 0),
        // In a container the agent may be process 1.
        (&["agent"], 1),
        (&[], 0),
    ];
    for (above, count) in table {
        let chain = chain(&[&[PIPE], above].concat());
        let found = Process::behind_pipe(&chain);
        assert_eq!(found, &chain[..=count], "{above:?}");
    }
    assert_eq!(Process::behind_pipe(&[]), []);
}

#[test]
fn an_editor_is_one_application_and_shells_are_none() {
    type Case<'a> = (Option<&'a str>, &'a [Option<&'a str>], usize);
    let table: [Case<'_>; 7] = [
        (Some("/opt/code"), &[Some("/opt/code"), Some("/opt/code"), Some("/usr/bin/zsh")], 2),
        (Some("/opt/code"), &[Some("/usr/bin/zsh"), Some("/opt/code")], 0),
        (Some("/opt/code"), &[None, Some("/opt/code")], 0),
        (None, &[None, None], 0),
        (Some("/usr/bin/bash"), &[Some("/usr/bin/bash")], 0),
        (Some("/bin/busybox"), &[Some("/bin/busybox")], 0),
        (Some("/opt/code"), &[], 0),
    ];
    for (program, above, count) in table {
        let found = above.iter().map(|path| path.map(PathBuf::from));
        let found = Process::same_application(program.map(Path::new), found);
        assert_eq!(found, count, "{program:?} {above:?}");
    }
}

/// Whoever cannot be placed is refused, where the hub itself can be.
#[tokio::test]
async fn what_cannot_be_seen_is_not_let_through() {
    let whole = |commands: &[&str]| Line { chain: chain(commands), whole: true };
    let broken = |commands: &[&str]| Line { chain: chain(commands), whole: false };
    let clients = Clients::default();
    let own = whole(&["capabilities", "systemd"]);
    let hidden = broken(&["capabilities"]);
    let table = [
        (&own, whole(&["zsh", "systemd"]), Above::Nobody),
        (&own, broken(&["zsh"]), Above::Unseen),
        (&own, broken(&[]), Above::Unseen),
        // A system that hides other users' processes hides the hub's ancestors too.
        (&hidden, broken(&["zsh"]), Above::Nobody),
        (&hidden, whole(&["zsh", "systemd"]), Above::Nobody),
        (&hidden, broken(&[]), Above::Unseen),
        // No /proc: nobody is seen, and `doctor` says so.
        (&broken(&[]), broken(&[]), Above::Nobody),
    ];
    for (own, peer, expected) in &table {
        assert_eq!(clients.judge(own, peer), *expected, "{own:?} {peer:?}");
    }
    for nobody in [None, Some(0), Some(u32::MAX)] {
        assert_eq!(clients.above(nobody).await, Above::Unseen, "{nobody:?}");
        let refused = clients.refuse_below(nobody, "this").await.unwrap_err();
        assert!(refused.message.contains("cannot see") && refused.hint.is_some(), "{refused}");
    }
}

/// In a container it may be the agent.
#[tokio::test]
async fn process_1_is_a_client_like_any_other() {
    let folder = tempfile::tempdir().unwrap();
    let first = Process::read(1).unwrap();
    let boot = std::fs::read_to_string("/proc/sys/kernel/random/boot_id").unwrap();
    let known = serde_json::json!({ "pid": 1, "started": first.started, "client": "agent",
        "key": "key_agent" });
    let kept = serde_json::json!({ "boot": boot, "known": [known] });
    std::fs::write(folder.path().join("clients"), kept.to_string()).unwrap();
    let clients = Clients::open(folder.path());
    assert!(Process::chain(std::process::id()).iter().any(|process| process.pid == 1));
    let told = above(&clients, std::process::id()).await.unwrap();
    assert!(told.contains("process 1,"), "{told}");
}

#[test]
fn a_name_may_hold_what_separates_it() {
    let tail: Vec<String> = (4..30).map(|n| n.to_string()).collect();
    let stat = format!("7 (a) (b c) S {}", tail.join(" "));
    let read = Process::parse(7, &stat, vec![]).unwrap();
    assert_eq!((read.name.as_str(), read.parent, read.started), ("a) (b c", 4, 22));
    assert_eq!(Process::parse(7, "7 (a", vec![]), None);
}

#[test]
fn connections_are_found_by_both_ports_and_the_user() {
    let table = "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode\n\
        0: 0100007F:10D8 00000000:0000 0A 00000000:00000000 00:00000000 00000000  1000        0 1 1\n\
        1: 0100007F:D431 0100007F:10D8 01 00000000:00000000 00:00000000 00000000  1000        0 77 1\n\
        2: 0100007F:D432 0100007F:10D8 06 00000000:00000000 00:00000000 00000000  1000        0 0 1\n";
    let tables = [table.to_owned()];
    assert_eq!(find(&tables, 0xD431, 4312, 1000), [77]);
    for (local, remote, user) in
        [(0xD432, 4312, 1000), (0xD431, 4313, 1000), (0xD431, 4312, 0), (4312, 0xD431, 1000)]
    {
        assert_eq!(find(&tables, local, remote, user), Vec::<u64>::new());
    }
}

/// A process that waits until it is told to end.
fn waiting() -> Child {
    Command::new("cat").stdin(Stdio::piped()).stdout(Stdio::null()).spawn().unwrap()
}

fn end(mut child: Child) {
    drop(child.stdin.take());
    child.wait().unwrap();
}

#[tokio::test]
async fn a_client_stays_one_over_a_restart_and_its_children_are_below_it() {
    let folder = tempfile::tempdir().unwrap();
    let child = waiting();
    let clients = Clients::open(folder.path());
    assert_eq!(above(&clients, child.id()).await, None);
    clients.piped(Some(child.id()), &key("before")).await;
    clients.piped(Some(child.id()), &key("agent")).await;
    for clients in [clients, Clients::open(folder.path())] {
        let found = clients.above(Some(child.id())).await;
        let Above::Client { told, key } = found else { panic!("{found:?}") };
        assert!(told.contains("cat") && told.contains("agent"), "{told}");
        assert_eq!(key.as_str(), "key_agent", "the one that it showed last");
        let refused = clients.refuse_below(Some(child.id()), "this").await.unwrap_err();
        assert!(refused.message.contains("client of this hub"), "{refused}");
        assert!(refused.hint.as_deref().unwrap().contains("open a terminal"), "{refused}");
        // Another process with that number is another process.
        let again = Process { started: 1, ..Process::read(child.id()).unwrap() };
        let line = |chain| Line { chain, whole: true };
        assert_eq!(clients.judge(&Line::default(), &line(vec![again])), Above::Nobody);
        let chain = vec![process(1, 2, "x"), Process::read(child.id()).unwrap()];
        assert_ne!(clients.judge(&Line::default(), &line(chain)), Above::Nobody);
    }
    end(child);
}

#[tokio::test]
async fn the_hub_itself_is_no_client_and_a_process_that_ended_is_forgotten() {
    let folder = tempfile::tempdir().unwrap();
    let clients = Clients::open(folder.path());
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let near: SocketAddr = listener.local_addr().unwrap();
    let far = TcpStream::connect(near).unwrap();
    clients.connected(near, far.local_addr().unwrap(), &key("self")).await;
    assert_eq!(above(&clients, std::process::id()).await, None);
    let (first, second) = (waiting(), waiting());
    clients.piped(Some(first.id()), &key("first")).await;
    let gone = first.id();
    end(first);
    clients.piped(Some(second.id()), &key("second")).await;
    let text = std::fs::read_to_string(folder.path().join("clients")).unwrap();
    assert!(text.contains("second") && !text.contains(&format!("\"pid\":{gone},")), "{text}");
    end(second);
}
