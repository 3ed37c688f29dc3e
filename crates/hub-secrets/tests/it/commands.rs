use super::{VALUE, resolve, secrets};
use std::time::Duration;

#[tokio::test]
async fn the_first_line_counts() {
    let dir = tempfile::tempdir().unwrap();
    let secrets = secrets(dir.path());
    let good = [
        "command:echo s3cret-v4lue",
        "command:printf 's3cret-v4lue\\r\\nmore\\n'",
        "command:printf s3cret-v4lue",
        "command:sh -c 'echo $TOKEN; echo more; echo noise >&2'",
        // What it started and left running does not hold it up.
        "command:sh -c 'sleep 3 & echo s3cret-v4lue'",
        // More output than a pipe holds.
        "command:sh -c 'echo s3cret-v4lue; head -c 300000 /dev/zero'",
    ];
    for line in good {
        assert_eq!(resolve(&secrets, line).await.unwrap(), VALUE, "{line}");
    }
}

#[tokio::test]
async fn failures_say_what_to_do_and_nothing_of_the_value() {
    let dir = tempfile::tempdir().unwrap();
    let secrets = secrets(dir.path());
    let bad = [
        ("command:no-such-program-here s3cret-v4lue", "cannot be started"),
        (
            "command:sh -c 'echo s3cret-v4lue; echo s3cret-v4lue >&2; exit 3'",
            "run it in a terminal",
        ),
        ("command:true", "first line is empty"),
        ("command:echo", "first line is empty"),
        ("command:echo 's3cret-v4lue", "not closed"),
        ("command:printf '\\377'", "no UTF-8"),
        ("command:sh -c 'head -c 65537 /dev/zero'", "longer than 65536"),
        ("command:echo $TOKEN | nothing-of-a-shell >", ""),
    ];
    for (line, expected) in bad {
        match resolve(&secrets, line).await {
            Err(error) => assert!(error.contains(expected), "{line}: {error}"),
            Ok(literal) => assert_eq!(literal, "$TOKEN | nothing-of-a-shell >", "{line}"),
        }
    }
}

#[tokio::test]
async fn a_command_that_hangs_is_ended_with_what_it_started() {
    let dir = tempfile::tempdir().unwrap();
    let secrets = secrets(dir.path()).command_time(Duration::from_millis(300));
    let pids = dir.path().join("pids");
    let line =
        format!("command:sh -c 'sleep 600 & echo $! > {0}; echo $$ >> {0}; wait'", pids.display());
    let error = resolve(&secrets, &line).await.unwrap_err();
    assert!(error.contains("printed nothing within"), "{error}");
    for pid in std::fs::read_to_string(&pids).unwrap().lines() {
        // Ended, or a zombie that nobody has waited for yet.
        let gone = || match std::fs::read_to_string(format!("/proc/{pid}/stat")) {
            Ok(stat) => stat.rsplit(')').next().is_some_and(|s| s.trim_start().starts_with('Z')),
            Err(_) => true,
        };
        while !gone() {
            tokio::task::yield_now().await;
        }
    }
}
