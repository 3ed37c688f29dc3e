//! What the gate reads of the system.

use super::ancestors::pipe_owners;
use super::process::{Process, connected_to};
use super::terminal::visible;

fn process(pid: u32, parent: u32, command: &str) -> Process {
    let command: Vec<String> = command.split('|').map(str::to_owned).collect();
    Process { pid, parent, name: command[0].clone(), command }
}

#[test]
fn whoever_started_a_pipe_is_a_client_and_its_terminal_is_not() {
    let all = [
        process(10, 1, "terminal"),
        process(11, 10, "zsh"),
        process(12, 11, "agent"),
        process(13, 12, "capabilities|hub|stdio"),
        process(14, 10, "zsh"),
    ];
    assert_eq!(pipe_owners(&all), [12]);
}

#[test]
fn a_shell_around_a_pipe_is_looked_through() {
    let all = [
        process(12, 1, "agent"),
        process(13, 12, "sh|-c|capabilities hub stdio"),
        process(14, 13, "capabilities|hub|stdio"),
    ];
    assert_eq!(pipe_owners(&all), [12]);
}

#[test]
fn connections_to_the_port_are_found_by_their_far_end() {
    let table = "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode\n\
        0: 0100007F:10D8 00000000:0000 0A 00000000:00000000 00:00000000 00000000  1000        0 1 1\n\
        1: 0100007F:D431 0100007F:10D8 01 00000000:00000000 00:00000000 00000000  1000        0 77 1\n";
    assert_eq!(connected_to(4312, &[table.to_owned()]), [77]);
    assert_eq!(connected_to(4313, &[table.to_owned()]), Vec::<u64>::new());
}

#[test]
fn this_process_is_read_as_the_system_tells() {
    let this = Process::read(std::process::id()).unwrap();
    assert!(!this.command.is_empty() && this.parent > 0);
}

#[test]
fn nothing_foreign_acts_on_the_terminal() {
    assert_eq!(visible("a\x1b[2Jb\u{202e}c"), "a\\u{1b}[2Jb\\u{202e}c");
}
