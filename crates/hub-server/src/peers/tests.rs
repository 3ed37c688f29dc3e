//! What is read of the system, and who counts as a client.

use super::clients::Clients;
use super::process::Process;
use super::sockets::find;
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::process::{Child, Command, Stdio};

fn process(pid: u32, parent: u32, command: &str) -> Process {
    let command: Vec<String> = command.split('|').map(str::to_owned).collect();
    Process { pid, parent, started: 0, name: command[0].clone(), command }
}

#[test]
fn whoever_started_a_pipe_is_its_owner_and_wrappers_are_looked_through() {
    let chain = [
        process(14, 13, "capabilities|--home|x|hub|stdio"),
        process(13, 12, "sh|-c|exec capabilities hub stdio"),
        process(12, 11, "agent"),
        process(11, 1, "zsh"),
    ];
    assert_eq!(Process::owner(&chain).unwrap().pid, 12);
    assert_eq!(Process::owner(&chain[..2]), None);
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
    assert_eq!(clients.above(Some(child.id())).await, None);
    clients.piped(Some(child.id()), "agent").await;
    for clients in [clients, Clients::open(folder.path())] {
        let told = clients.above(Some(child.id())).await.unwrap();
        assert!(told.contains("cat") && told.contains("agent"), "{told}");
        let refused = clients.refuse_below(Some(child.id()), "this").await.unwrap_err();
        assert!(refused.message.contains("client of this hub"), "{refused}");
        // Another process with that number is another process.
        let again = Process { started: 1, ..Process::read(child.id()).unwrap() };
        assert_eq!(clients.nearest(&[again]), None);
        let below = process(1, 2, "x");
        let chain = [below, Process::read(child.id()).unwrap()];
        assert!(clients.nearest(&chain).is_some());
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
    clients.connected(near, far.local_addr().unwrap(), "self").await;
    assert_eq!(clients.above(Some(std::process::id())).await, None);
    let (first, second) = (waiting(), waiting());
    clients.piped(Some(first.id()), "first").await;
    let gone = first.id();
    end(first);
    clients.piped(Some(second.id()), "second").await;
    let text = std::fs::read_to_string(folder.path().join("clients")).unwrap();
    assert!(text.contains("second") && !text.contains(&format!("\"pid\":{gone},")), "{text}");
    end(second);
}
