use crate::config::import::{Found, Given, parse};
use hub_core::catalog::Transport;
use hub_core::connection::{Placement, Secret, SecretRef};

fn one(text: &str) -> Found {
    let mut found = parse(text).unwrap();
    assert_eq!(found.len(), 1, "{found:?}");
    found.remove(0)
}

fn from_env(name: &str) -> Given {
    Given::Reference(SecretRef::Env(name.into()))
}

#[test]
fn the_usual_form_with_a_secret_in_clear() {
    let found = one(r#"{"mcpServers": {"github": {
        "command": "npx", "args": ["-y", "server"],
        "env": {"GITHUB_TOKEN": "hunter22", "LOG": "debug", "OTHER": "${MY_TOKEN}"}}}}"#);
    let Transport::Stdio { command, args, env, .. } = &found.transport else { panic!() };
    assert_eq!((command.as_str(), args.len()), ("npx", 2));
    assert_eq!(env.iter().collect::<Vec<_>>(), [(&"LOG".to_owned(), &"debug".to_owned())]);
    assert_eq!(
        found.credentials,
        [
            (Placement::Env("GITHUB_TOKEN".into()), Given::Literal(Secret::new("hunter22"))),
            (Placement::Env("OTHER".into()), from_env("MY_TOKEN")),
        ]
    );
    assert!(!format!("{found:?}").contains("hunter22"));
}

#[test]
fn an_editor_file_with_comments_inputs_and_a_remote_server() {
    let text = r#"{
        // what the team uses
        "servers": {
            "docs": { "type": "http", "url": "https://docs.example/mcp", /* shared */
                "headers": { "Authorization": "Bearer ${input:token}", "X-Team": "blue//red" }, },
        },
    }"#;
    let found = one(text);
    assert_eq!(found.transport, Transport::Http { url: "https://docs.example/mcp".into() });
    assert_eq!(
        found.credentials,
        [
            (Placement::Bearer, Given::Asked("token".into())),
            (Placement::Header("X-Team".into()), Given::Literal(Secret::new("blue//red"))),
        ]
    );
}

#[test]
fn servers_of_projects_are_found_once() {
    let server = r#"{"mcpServers": {"a": {"command": "x"}}}"#;
    let text = format!(r#"{{"projects": {{"/p": {server}, "/q": {server}}}, "numStartups": 3}}"#);
    assert_eq!(one(&text).name, "a");
}

#[test]
fn the_toml_form() {
    let found = parse(
        "model = \"x\"\n[mcp_servers.git]\ncommand = \"uvx\"\nargs = [\"mcp-server-git\"]\n\
         [mcp_servers.web]\nurl = \"https://w/mcp\"\nbearer_token_env_var = \"WEB\"\nenabled = false\n",
    )
    .unwrap();
    assert_eq!(found[0].transport.origin(), "uvx mcp-server-git");
    assert_eq!(found[1].credentials, [(Placement::Bearer, from_env("WEB"))]);
    assert_eq!(found[1].notes.len(), 1);
}

#[test]
fn files_that_name_no_server_or_cannot_be_read_say_so() {
    for text in ["{}", "{\"mcpServers\": {}}", "", "{\"mcpServers\": [", "a b c"] {
        let error = parse(text).unwrap_err();
        assert!(!error.message.is_empty(), "{text}");
    }
    let nested = format!("{}{}", "{\"mcp\":".repeat(100), "{}".to_owned() + &"}".repeat(100));
    assert!(parse(&nested).is_err());
}

#[test]
fn secrets_move_out_of_command_lines_and_urls_or_their_server_stays_behind() {
    let container = one(r#"{"mcpServers": {"git": {"command": "docker", "args":
        ["run", "-e", "TOKEN=hunter22", "--env=API_KEY=hunter23", "-e", "LOG=debug", "image"]}}}"#);
    assert_eq!(
        container.transport.origin(),
        "docker run -e TOKEN --env=API_KEY -e LOG=debug image"
    );
    let moved =
        |name: &str, value| (Placement::Env(name.to_owned()), Given::Literal(Secret::new(value)));
    assert_eq!(container.credentials, [moved("TOKEN", "hunter22"), moved("API_KEY", "hunter23")]);
    assert_eq!(container.refused, None);
    let remote = one(r#"{"mcpServers": {"web": {"url": "https://h/mcp?key=hunter22&team=a"}}}"#);
    assert_eq!(remote.transport.origin(), "https://h/mcp?team=a");
    let key = (Placement::Query("key".into()), Given::Literal(Secret::new("hunter22")));
    assert_eq!((remote.credentials, remote.refused), (vec![key], None));
    for server in [
        r#"{"command": "npx", "args": ["mcp-remote", "https://h/", "--header", "X-Api-Key: hunter22"]}"#,
        r#"{"command": "x", "args": ["--token", "hunter22"]}"#,
        r#"{"command": "x", "args": ["postgres://me:hunter22@h/db"]}"#,
        r#"{"url": "https://me:hunter22@h/mcp"}"#,
    ] {
        let found = one(&format!(r#"{{"mcpServers": {{"s": {server}}}}}"#));
        let why = found.refused.expect(server);
        assert!(!why.contains("hunter22") && why.contains("secret"), "{why}");
    }
}
