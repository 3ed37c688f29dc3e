use crate::config::literal::*;

const TOKEN: &str = "ghp_0123456789abcdefghijABCDEFGHIJ012345";

/// One argument each, separated by `|`.
const SECRET_LINES: &[&str] = &[
    "serve|--auth|ghp_0123456789abcdefghijABCDEFGHIJ012345",
    "serve|--api-key=hunter22",
    "serve|--token|hunter22",
    "--header|Authorization: Bearer hunter22hunter22",
    "--header|Authorization:Bearer hunter22hunter22",
    "--header=Authorization: Bearer hunter22hunter22",
    "-H|X-Api-Key: hunter22",
    "-H|X-Auth-Token: hunter22",
    "run|-e|GITHUB_TOKEN=hunter22|image",
    "run|--env=API_KEY=hunter22|image",
    "DB_PASSWORD=hunter22|server",
    "https://me:hunter22@h.example/mcp",
    "postgresql://me:hunter22@db.example:5432/x",
    "https://h.example/mcp?api_key=hunter22",
    "https://h.example/mcp?key=hunter22",
    "https://h.example/mcp?access_token=hunter22",
    "https://hunter22hunter22hunter22@h.example/x",
    "--url=https://me:hunter22@h.example/mcp",
    "-u|me:hunter22",
    "--config|{\"password\":\"hunter22\"}",
    "--key|hunter22",
    "--pat|hunter22",
    "--openai-key|hunter22",
    "--clientSecret|hunter22",
];

const PLAIN_LINES: &[&str] = &[
    "-y|some-server|--token-file|/run/token|--port=8080|dir",
    "--max-tokens|4096|--sort-key|name|--auth|oauth|--tokenizer|o200k",
    "run|-i|--rm|-e|GITHUB_TOKEN|ghcr.io/example/server:1.2",
    "--header|Authorization: Bearer ${TOKEN}",
    "-e|TOKEN=${TOKEN}|--token|$TOKEN|--api-key|<token>",
    "--url|https://h.example/mcp?team=blue&page_token=a",
    "--repository|git@github.com:owner/repo.git",
    "--user|1000:1000|-u|host:8080",
    "-p|127.0.0.1:8080:80|--mount|type=bind,src=/a,dst=/b",
    "@scope/server-token@1.2.3|--keyword|x|--monkey|banana",
];

fn line(text: &str) -> Vec<String> {
    text.split('|').map(str::to_owned).collect()
}

#[test]
fn a_literal_secret_is_refused_with_the_right_way_and_never_repeated() {
    let mut refusals = vec![
        reference(TOKEN).unwrap_err(),
        refuse_value("PLAIN", TOKEN).unwrap_err(),
        refuse_value("API_KEY", "short").unwrap_err(),
        refuse_value("DATABASE_URL", "postgres://me:hunter22@h/x").unwrap_err(),
        refuse_in_url(&format!("https://h/mcp?x={TOKEN}")).unwrap_err(),
        refuse_in_url("https://me:hunter22@h/mcp").unwrap_err(),
        refuse_in_url("https://h/mcp?api_key=hunter22").unwrap_err(),
        refuse_in_url("https://h/mcp?key=hunter22").unwrap_err(),
    ];
    for text in SECRET_LINES {
        let refused = refuse_in_arguments(&line(text));
        refusals.push(refused.expect_err(text));
    }
    for refusal in refusals {
        let told = format!("{refusal:?}");
        assert!(!told.contains("ghp_") && !told.contains("hunter22"), "{told}");
        assert!(refusal.hints.iter().any(|h| h.contains("secret set")), "{told}");
    }
}

#[test]
fn what_is_no_secret_passes() {
    for (name, value) in
        [("LOG_LEVEL", "debug"), ("MONKEY", "banana"), ("SORT_KEY", "id"), ("TOKEN_FILE", "/run/t")]
    {
        refuse_value(name, value).unwrap();
    }
    refuse_in_url("https://example.com/mcp?team=blue").unwrap();
    for text in PLAIN_LINES {
        refuse_in_arguments(&line(text)).expect(text);
    }
    for text in ["env:TOKEN", "file:github", "command:pass show github"] {
        assert_eq!(reference(text).unwrap().to_string(), text);
    }
}
