//! The demo plays to its end by itself.

use crate::support::TestHub;

#[test]
fn the_main_job_is_played_and_nothing_is_left_behind() {
    let hub = TestHub::stopped();
    let ran = hub.run(&["demo", "--yes"]);
    assert_eq!(ran.code, 0, "{}\n{}", ran.out, ran.err);
    for told in ["tracker.deleteIssue(", "declare const tracker", "awaiting_approval", "completed"]
    {
        assert!(ran.out.contains(told), "{told}: {}", ran.out);
    }
    assert!(!hub.home.join("store").exists(), "it has a hub of its own");
}

#[test]
fn without_a_terminal_and_without_yes_it_says_what_to_do() {
    let ran = TestHub::stopped().run(&["demo"]);
    assert_eq!(ran.code, 2, "{}", ran.err);
    assert!(ran.err.contains("--yes"), "{}", ran.err);
}
