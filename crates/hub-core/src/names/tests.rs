use super::*;

fn names(source: &str, raws: &[&str]) -> Vec<String> {
    let raws: Vec<String> = raws.iter().map(|r| (*r).to_owned()).collect();
    tool_names(source, &raws, &[]).into_iter().map(|(_, name)| name).collect()
}

#[test]
fn names_in_code() {
    assert_eq!(names("slack", &["slack_post_message"]), ["postMessage"]);
    assert_eq!(
        names("github", &["github_create_issue", "create_issue"]),
        ["githubCreateIssue", "createIssue"]
    );
    assert_eq!(names("x", &["2fa_enable", "3d-render", "_ok"]), ["_2faEnable", "_3dRender", "ok"]);
}
