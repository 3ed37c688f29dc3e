//! Secrets that must be hidden, and texts that must not. Tokens are put together here, so that
//! no scanner of repositories takes them for real ones.

use super::*;

fn body(alphabet: &str, len: usize) -> String {
    alphabet.chars().cycle().step_by(7).take(len).collect()
}

fn alnum(len: usize) -> String {
    body("aB3dE5gH7jK9mN1pQ2sT4vW6xY8z", len)
}

fn hex(len: usize) -> String {
    body("0a1b2c3d4e5f6978", len)
}

fn upper(len: usize) -> String {
    body("A2C4E6G8J3L5N7Q9", len)
}

/// Prefix, rest, and the name that is said.
fn tokens() -> Vec<(String, &'static str)> {
    let rows = [
        ("ghp_", alnum(36), "GitHub token"),
        ("gho_", alnum(36), "GitHub token"),
        ("ghs_", alnum(36), "GitHub token"),
        ("github_pat_", format!("{}_{}", alnum(22), alnum(59)), "GitHub token"),
        ("glpat-", alnum(20), "GitLab token"),
        ("glptt-", hex(40), "GitLab token"),
        ("xoxb-", format!("123456789012-{}", alnum(24)), "Slack token"),
        ("xapp-", format!("1-A1-12-{}", hex(64)), "Slack token"),
        ("xoxe.", format!("xoxp-1-{}", alnum(60)), "Slack token"),
        ("sk-ant-", format!("api03-{}", alnum(90)), "Anthropic key"),
        ("sk-proj-", alnum(48), "OpenAI key"),
        ("sk-", alnum(48), "secret key"),
        ("sk-or-v1-", hex(64), "OpenRouter key"),
        ("sk_live_", alnum(24), "Stripe key"),
        ("rk_test_", alnum(24), "Stripe key"),
        ("whsec_", alnum(32), "Stripe webhook secret"),
        ("AKIA", upper(16), "AWS access key"),
        ("ASIA", upper(16), "AWS access key"),
        ("AIza", alnum(35), "Google API key"),
        ("ya29.", alnum(60), "Google OAuth token"),
        ("GOCSPX-", alnum(28), "Google client secret"),
        ("npm_", alnum(36), "npm token"),
        ("pypi-AgE", alnum(100), "PyPI token"),
        ("cio", alnum(32), "crates.io token"),
        ("dop_v1_", hex(64), "DigitalOcean token"),
        ("SG.", format!("{}.{}", alnum(22), alnum(43)), "SendGrid key"),
        ("hf_", alnum(34), "Hugging Face token"),
        ("lin_api_", alnum(40), "Linear key"),
        ("ntn_", alnum(46), "Notion token"),
        ("secret_", alnum(43), "Notion token"),
        ("figd_", alnum(40), "Figma token"),
        ("shpat_", hex(32), "Shopify token"),
        ("sq0atp-", alnum(22), "Square token"),
        ("dapi", hex(32), "Databricks token"),
        ("ATATT3", alnum(180), "Atlassian token"),
        ("dckr_pat_", alnum(27), "Docker token"),
        ("key-", hex(32), "Mailgun key"),
        ("hvs.", alnum(90), "Vault token"),
        ("dp.pt.", alnum(43), "Doppler token"),
        ("PMAK-", format!("{}-{}", hex(24), hex(34)), "Postman key"),
        ("pat", format!("{}.{}", alnum(14), hex(64)), "Airtable token"),
        ("sbp_", hex(40), "Supabase token"),
        ("glsa_", format!("{}_{}", alnum(32), hex(8)), "Grafana token"),
        ("NRAK-", upper(27), "New Relic key"),
        ("gsk_", alnum(52), "Groq key"),
        ("xai-", alnum(80), "xAI key"),
        ("r8_", alnum(37), "Replicate token"),
        ("tskey-", format!("auth-{}", alnum(30)), "Tailscale key"),
        ("AGE-SECRET-KEY-1", upper(58), "age secret key"),
        ("eyJ", format!("hbGciOiJI.eyJ{}.{}", alnum(40), alnum(43)), "JSON web token"),
        ("", format!("123456789:AA{}", alnum(33)), "Telegram bot token"),
        ("M", format!("{}.{}.{}", alnum(23), alnum(6), alnum(38)), "Discord bot token"),
        ("hooks.slack.com/services/", format!("T0/B0/{}", alnum(30)), "Slack webhook"),
    ];
    rows.into_iter().map(|(prefix, rest, name)| (format!("{prefix}{rest}"), name)).collect()
}

#[test]
fn every_known_format_is_found_and_named_in_any_surrounding() {
    for (token, name) in tokens() {
        for around in ["@", "see @.", "x=@", "(@)", "\"@\"", "a\n@\nb", "https://h.example/?q=@&r"]
        {
            let text = around.replace('@', &token);
            let shown = page(json!({ "body": text }));
            assert!(!shown.text.contains(&token), "{name} in {around}");
            assert_eq!(shown.masked.len(), 1, "{name} in {around}: {}", shown.text);
            let what = &shown.masked[0].what;
            assert!(what.contains(name), "{around} {token}: {what}");
            assert!(what.contains(&format!("{} characters", token.len())), "{around}: {what}");
        }
        // Glued to a word it is none, unless a second one begins inside.
        let glued = page(json!({ "body": format!("x{token}") }));
        assert!(glued.masked.is_empty() || token.contains(".xoxp-"), "x{token}");
    }
}

#[test]
fn secrets_inside_text_are_found() {
    let key = "-----BEGIN OPENSSH PRIVATE KEY-----\nb3Bl\n-----END OPENSSH PRIVATE KEY-----";
    let rows = [
        (key.to_owned(), "b3Bl"),
        (key.replace('\n', "\\n"), "b3Bl"),
        (format!("{}…", &key[..45]), "b3Bl"),
        ("postgres://app:s3cret@db.example:5432/x".into(), "s3cret"),
        ("clone https://me:pw@h.example/r.git".into(), ":pw@"),
        ("Authorization: Bearer abcdefgh12345678".into(), "abcdefgh12345678"),
        ("curl -H 'authorization: basic dXNlcjpwYXNz='".into(), "dXNlcjpwYXNz"),
        ("{\"user\":\"me\",\"password\":\"hunter2\"}".into(), "hunter2"),
        ("{\\\"password\\\": \\\"hunter2\\\"}".into(), "hunter2"),
        ("DB_PASSWORD=correct".into(), "correct"),
        ("export API_KEY='abc def'".into(), "abc def"),
        ("https://h.example/?api_key=k1234&x=1".into(), "k1234"),
        ("mysql --password hunter2 -u me".into(), "hunter2"),
        ("mysql --password=hunter2 -u me".into(), "hunter2"),
        ("AccountName=a;AccountKey=abcd1234==;Suffix=b".into(), "abcd1234"),
        ("client_secret: abc123def".into(), "abc123def"),
        ("password: 'correct horse'".into(), "correct horse"),
        ("aws_secret_access_key = wJalrXUtnFEMI/K7MDENG".into(), "wJalrXUtnFEMI"),
    ];
    for (text, secret) in rows {
        let shown = page(json!({ "body": text }));
        assert!(!shown.text.contains(secret), "{text}: {}", shown.text);
        assert_eq!(shown.masked.len(), 1, "{text}: {}", shown.text);
    }
}

const SECRET_NAMES: &str = "
    password Password userPassword user_password PASSWORD2 new-password passwordConfirmation
    passwd pwd passphrase secret clientSecret client_secret CLIENT_SECRET token accessToken
    access_token refresh-token idToken authtoken apikey apiKey api_key API-Key APIKey
    x-api-key X-Auth-Token Authorization Proxy-Authorization authorization_header credentials
    privateKey private_key secretKey accessKey signing_key cookie Set-Cookie sessionId
    session_cookie bearer jwt otp connectionString webhookSecret token_value
    AWS_SECRET_ACCESS_KEY GITHUB_TOKEN kennwort 密码 tokens secret_hash
";
const PLAIN_NAMES: &str = "
    pageToken next_page_token nextToken continuation_token syncToken max_tokens maxTokens
    input_tokens tokenizer token_count tokenCount author authority authored_by secretary
    passage passenger key keys keyword primary_key foreignKey sort_key monkey passwordless
    password_reset_url session compass bypass public_key issue_key projectKey cookies_enabled
    tokenType token_type secret_name secretId password_policy code country_code pin dsname _
    user id
";

#[test]
fn names_of_secrets() {
    let missed: Vec<_> =
        SECRET_NAMES.split_whitespace().filter(|n| !labels::is_secret(n)).collect();
    assert!(missed.is_empty(), "missed: {missed:?}");
    let wrong: Vec<_> = PLAIN_NAMES.split_whitespace().filter(|n| labels::is_secret(n)).collect();
    assert!(wrong.is_empty(), "false: {wrong:?}");
    assert!(!labels::is_secret(""));
}

#[test]
fn ordinary_texts_are_left_alone() {
    let image = format!("data:image/png;base64,iVBORw0KGgo{}", alnum(400));
    let rows = [
        "9fceb02d0ae598e95dc970b74767f19372d61af8",
        "da39a3ee5e6b4b0d3255bfef95601890afd80709 fixes the token refresh",
        "550e8400-e29b-41d4-a716-446655440000",
        "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
        "sha512-z4PhNX7vuL3xVChQ1m2AB9Yg5AULVxXcg/SpIdNs6c5H0NE8XYXysP+DGNKHfuwvY7kxvUdBeoGl",
        &image,
        "Please reset your password by Friday.",
        "Password: see the vault",
        "The password must have 12 characters; the token expires in 3600 s.",
        "password reset token flow",
        "token: string; secret?: string",
        "const token = response.token;",
        "const password = process.env[\"PASSWORD\"]",
        "let secret = getSecret(name)",
        "api_key=${API_KEY}",
        "Authorization: Bearer {{token}}",
        "Authorization: Bearer <token>",
        "Authorization: Bearer YOUR_TOKEN_HERE",
        "password=********",
        "pip install scikit-learn sk-learn npm_config_registry hf_hub",
        "basic authentication is deprecated; bearer tokens are used",
        "https://example.com/path?page_token=CAEQAA&max_tokens=4096",
        "https://user@example.com/repo.git",
        "mailto:me@example.com, git@github.com:owner/repo.git",
        "ssh://git@example.com:22/x",
        "arn:aws:iam::123456789012:role/Admin",
        "AKIA is the prefix of access keys",
        "xoxb- tokens, ghp_ tokens and sk-ant- keys are searched for",
        "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----",
        "-----BEGIN PUBLIC KEY-----\nMIIB\n-----END PUBLIC KEY-----",
        "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJ me@host",
        "10:35:12 patched 1.2.3.4 keyed key-value pairs",
        "SELECT id, password_hash FROM users WHERE token IS NULL",
        "eyJ is how base64 of {\" begins",
        "function f(password) { return hash(password); }",
        "{\"nextPageToken\":\"CAUQAA1234\",\"token_type\":\"bearer\"}",
        "Die Passwörter liegen im Tresor; das Token läuft ab.",
        "dp.pt, pat.example, cioffi, dapiolo",
    ];
    let wrong: Vec<_> =
        rows.iter().filter(|text| !page(json!({ "body": text })).masked.is_empty()).collect();
    assert!(wrong.is_empty(), "{} of {}: {wrong:#?}", wrong.len(), rows.len());
}
