//! The reaper: no child outlives the hub, however the hub ends.
#![cfg(target_os = "linux")]

use crate::scripts::{scripted_source, this_binary};
use crate::support::*;
use hub_core::ports::{Answer, Sent, Upstream, UpstreamErrorKind as Kind};
use hub_upstream::{Options, reaper_main};
use serde_json::Value;
use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};

const ROLE: &str = "HUB_TEST_ROLE";

#[expect(clippy::disallowed_methods, reason = "this process plays a part, it is not the hub")]
fn role() -> Option<String> {
    std::env::var(ROLE).ok()
}

/// A shell that becomes this binary in the part of the reaper.
fn reaper_line() -> Vec<String> {
    let command = this_binary("keeper::reaper").join(" ");
    vec!["sh".into(), "-c".into(), format!("{ROLE}=reaper exec {command}")]
}

/// No test unless it is told its part: then it is the reaper.
#[test]
fn reaper() {
    if role().as_deref() == Some("reaper") {
        reaper_main();
    }
}

/// No test unless it is told its part: a hub that starts children, says who they are, and waits
/// for its end.
#[tokio::test]
async fn hub() {
    if role().as_deref() != Some("hub") {
        return;
    }
    let upstream = upstream(kept());
    for _ in 0..2 {
        let source = scripted_source("plain");
        for pid in family(&upstream, &source).await {
            println!("\npid {pid}");
        }
    }
    println!("\nready");
    std::future::pending().await
}

/// No test unless it is told its part: starts and ends sources, and says how many file
/// descriptors it held before and after.
#[tokio::test]
async fn descriptors() {
    let options = match role().as_deref() {
        Some("descriptors with reaper") => kept(),
        Some("descriptors") => options(),
        _ => return,
    };
    let upstream = upstream(options);
    let web = web::Web::modern(|seen| seen.result(web::ok())).await;
    let round = async || {
        for source in [scripted_source("plain"), web_source(&web.url())] {
            ask(&upstream, &source, "t").await.unwrap();
            upstream.forget(&source).await;
        }
    };
    let held = || std::fs::read_dir("/proc/self/fd").unwrap().count();
    round().await;
    let before = held();
    for _ in 0..20 {
        round().await;
    }
    // Closing ends a moment after the call that asked for it.
    until("no descriptor is held any more", || held() <= before).await;
    println!("\nready");
}

#[tokio::test]
async fn sources_that_come_and_go_leave_no_descriptors() {
    for role in ["descriptors", "descriptors with reaper"] {
        let mut line = this_binary("keeper::descriptors");
        let mut run = tokio::process::Command::new(line.remove(0));
        let run = run.args(line).env(ROLE, role).output().await.unwrap();
        let said = String::from_utf8_lossy(&run.stdout).into_owned();
        assert!(run.status.success() && said.contains("\nready"), "{role}: {said}");
    }
}

fn kept() -> Options {
    Options { reaper: Some(reaper_line()), ..options() }
}

/// Starts a server with descendants that resist; the ids of all.
async fn family(
    upstream: &hub_upstream::McpUpstream,
    source: &hub_core::catalog::Source,
) -> Vec<i32> {
    let Answer::Value(pid) = ask(upstream, source, "pid").await.unwrap() else { panic!() };
    let pid: String = serde_json::from_str(&pid).unwrap();
    let Answer::Value(more) = ask(upstream, source, "grandchild").await.unwrap() else { panic!() };
    let more: Vec<i32> = serde_json::from_str(&more).unwrap();
    assert_eq!(more.len(), 2);
    [vec![pid.parse().unwrap()], more].concat()
}

fn lives(pid: i32) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    let state = stat.rsplit_once(") ").map(|(_, rest)| rest.chars().next());
    !matches!(state, None | Some(Some('Z' | 'X')))
}

async fn all_gone(pids: &[i32]) {
    until("every process has ended", || pids.iter().all(|pid| !lives(*pid))).await;
}

/// Several at once and again and again: which process is seen to die first is chance.
#[tokio::test]
async fn closing_a_source_ends_all_that_came_of_it() {
    let upstream = upstream(kept());
    let other = scripted_source("plain");
    let stays = ask(&upstream, &other, "pid").await.unwrap();
    let close = async || {
        let source = scripted_source("plain");
        let pids = family(&upstream, &source).await;
        assert!(pids.iter().all(|pid| lives(*pid)));
        upstream.forget(&source).await;
        all_gone(&pids).await;
    };
    for _ in 0..4 {
        tokio::join!(close(), close(), close(), close());
    }
    assert_eq!(ask(&upstream, &other, "pid").await.unwrap(), stays);
}

#[tokio::test]
async fn a_crash_ends_what_the_server_left_behind() {
    let (upstream, source) = (upstream(kept()), scripted_source("plain"));
    let pids = family(&upstream, &source).await;
    let error = ask(&upstream, &source, "crash").await.unwrap_err();
    assert_eq!((error.kind, error.sent), (Kind::Unavailable, Sent::Maybe));
    assert!(error.message.contains("exit status: 3"), "{}", error.message);
    assert!(error.message.contains("out of luck"), "{}", error.message);
    all_gone(&pids).await;
    assert!(ask(&upstream, &source, "x").await.is_ok());
}

#[tokio::test]
async fn a_program_that_is_not_there_is_named_through_the_reaper_too() {
    let upstream = upstream(kept());
    let mut source = scripted_source("plain");
    let hub_core::catalog::Transport::Stdio { command, .. } = &mut source.transport else {
        unreachable!()
    };
    *command = "no-such-program-here".to_owned();
    let error = ask(&upstream, &source, "x").await.unwrap_err();
    assert_eq!((error.kind, error.sent), (Kind::Unavailable, Sent::No));
    assert!(error.message.contains("not found"), "{}", error.message);
}

#[tokio::test]
async fn killing_the_hub_leaves_nothing() {
    for _ in 0..5 {
        let mut line = this_binary("keeper::hub");
        let mut hub = Command::new(line.remove(0))
            .args(line)
            .env(ROLE, "hub")
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let out = BufReader::new(hub.stdout.take().unwrap());
        let pids: Vec<i32> = tokio::task::spawn_blocking(move || {
            let lines = out.lines().map_while(Result::ok).take_while(|line| line != "ready");
            lines.filter_map(|line| line.strip_prefix("pid ")?.parse().ok()).collect()
        })
        .await
        .unwrap();
        assert_eq!(pids.len(), 6);
        // SIGKILL: the hub can do nothing any more.
        hub.kill().unwrap();
        hub.wait().unwrap();
        all_gone(&pids).await;
    }
}

#[tokio::test]
async fn killing_the_reaper_ends_its_children_and_the_next_call_has_another() {
    let (upstream, source) = (upstream(kept()), scripted_source("plain"));
    let Answer::Value(pid) = ask(&upstream, &source, "pid").await.unwrap() else { panic!() };
    let pid: i32 = serde_json::from_str::<String>(&pid).unwrap().parse().unwrap();
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap();
    let (_, rest) = stat.rsplit_once(") ").unwrap();
    let parent: i32 = rest.split(' ').nth(1).unwrap().parse().unwrap();
    let parent = rustix_kill(parent);
    assert!(parent);
    all_gone(&[pid]).await;
    let after = ask(&upstream, &source, "pid").await;
    let after = match after {
        // The end may be noticed only by the call that runs into it.
        Err(error) => {
            assert_eq!(error.kind, Kind::Unavailable);
            ask(&upstream, &source, "pid").await.unwrap()
        }
        Ok(answer) => answer,
    };
    let Answer::Value(after) = after else { panic!() };
    assert_ne!(serde_json::from_str::<Value>(&after).unwrap(), Value::from(pid.to_string()));
}

fn rustix_kill(pid: i32) -> bool {
    Command::new("kill").args(["-9", &pid.to_string()]).status().unwrap().success()
}
