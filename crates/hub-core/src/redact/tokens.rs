//! Formats of well-known tokens: a beginning, an alphabet, a length.
//!
//! To add one: a line in [`FORMATS`], and examples in the corpus of the tests.

/// A format.
struct Format {
    name: &'static str,
    prefix: &'static str,
    /// Characters after the prefix.
    alphabet: Alphabet,
    /// Fewest and most characters after the prefix.
    length: (usize, usize),
}

#[derive(Clone, Copy)]
enum Alphabet {
    Hex,
    Upper,
    Alnum,
    /// Letters, digits, `_` and `-`.
    Word,
    /// The same and `.`.
    Dotted,
    /// Base 64 with `+ / =`, and `-`.
    Base64,
}

impl Alphabet {
    fn has(self, b: u8) -> bool {
        match self {
            Self::Hex => b.is_ascii_hexdigit(),
            Self::Upper => b.is_ascii_uppercase() || b.is_ascii_digit(),
            Self::Alnum => b.is_ascii_alphanumeric(),
            Self::Word => b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-'),
            Self::Dotted => b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-' | b'.'),
            Self::Base64 => {
                b.is_ascii_alphanumeric() || matches!(b, b'+' | b'/' | b'=' | b'-' | b'_')
            }
        }
    }
}

const fn format(
    name: &'static str,
    prefix: &'static str,
    alphabet: Alphabet,
    least: usize,
    most: usize,
) -> Format {
    Format { name, prefix, alphabet, length: (least, most) }
}

use Alphabet::{Alnum, Base64, Dotted, Hex, Upper, Word};

/// Most characters where a format has no fixed length.
const LONG: usize = 4_096;

const FORMATS: &[Format] = &[
    format("GitHub token", "ghp_", Alnum, 36, 251),
    format("GitHub token", "gho_", Alnum, 36, 251),
    format("GitHub token", "ghu_", Alnum, 36, 251),
    format("GitHub token", "ghs_", Dotted, 36, LONG),
    format("GitHub token", "ghr_", Alnum, 36, 251),
    format("GitHub token", "github_pat_", Word, 50, 250),
    format("GitLab token", "glpat-", Dotted, 20, 300),
    format("GitLab token", "gldt-", Word, 20, 64),
    format("GitLab token", "glrt-", Dotted, 20, 300),
    format("GitLab token", "glptt-", Hex, 40, 40),
    format("Slack token", "xoxb-", Word, 20, 250),
    format("Slack token", "xoxp-", Word, 20, 250),
    format("Slack token", "xoxa-", Word, 20, 250),
    format("Slack token", "xoxr-", Word, 20, 250),
    format("Slack token", "xoxs-", Word, 20, 250),
    format("Slack token", "xoxe.", Dotted, 20, 300),
    format("Slack token", "xoxe-", Word, 20, 300),
    format("Slack token", "xoxc-", Word, 20, 250),
    format("Slack token", "xoxd-", Base64, 20, 300),
    format("Slack token", "xapp-", Word, 20, 250),
    format("Slack webhook", "hooks.slack.com/services/", Base64, 30, 120),
    format("Anthropic key", "sk-ant-", Word, 20, 250),
    format("OpenAI key", "sk-proj-", Word, 20, 300),
    format("OpenAI key", "sk-svcacct-", Word, 20, 300),
    format("OpenRouter key", "sk-or-v1-", Hex, 64, 64),
    format("secret key", "sk-", Alnum, 32, 120),
    format("Stripe key", "sk_live_", Alnum, 16, 250),
    format("Stripe key", "sk_test_", Alnum, 16, 250),
    format("Stripe key", "rk_live_", Alnum, 16, 250),
    format("Stripe key", "rk_test_", Alnum, 16, 250),
    format("Stripe webhook secret", "whsec_", Base64, 24, 120),
    format("AWS access key", "AKIA", Upper, 16, 16),
    format("AWS access key", "ASIA", Upper, 16, 16),
    format("AWS Bedrock key", "ABSK", Base64, 100, 300),
    format("Google API key", "AIza", Word, 35, 35),
    format("Google OAuth token", "ya29.", Dotted, 20, LONG),
    format("Google client secret", "GOCSPX-", Word, 28, 28),
    format("npm token", "npm_", Alnum, 36, 36),
    format("PyPI token", "pypi-AgE", Word, 50, 400),
    format("crates.io token", "cio", Alnum, 32, 32),
    format("DigitalOcean token", "dop_v1_", Hex, 64, 64),
    format("DigitalOcean token", "doo_v1_", Hex, 64, 64),
    format("SendGrid key", "SG.", Dotted, 60, 70),
    format("Hugging Face token", "hf_", Alnum, 30, 40),
    format("Linear key", "lin_api_", Alnum, 32, 60),
    format("Notion token", "ntn_", Alnum, 40, 60),
    format("Notion token", "secret_", Alnum, 43, 43),
    format("Figma token", "figd_", Word, 30, 60),
    format("Shopify token", "shpat_", Hex, 32, 32),
    format("Shopify token", "shpss_", Hex, 32, 32),
    format("Shopify token", "shpca_", Hex, 32, 32),
    format("Square token", "sq0atp-", Word, 22, 22),
    format("Square secret", "sq0csp-", Word, 43, 43),
    format("Databricks token", "dapi", Hex, 32, 34),
    format("Atlassian token", "ATATT3", Base64, 100, 250),
    format("Bitbucket token", "ATBB", Alnum, 32, 40),
    format("Docker token", "dckr_pat_", Word, 24, 40),
    format("Heroku key", "HRKU-", Word, 36, 80),
    format("Mailgun key", "key-", Hex, 32, 32),
    format("Vault token", "hvs.", Word, 24, 300),
    format("Vault token", "hvb.", Word, 24, 300),
    format("Doppler token", "dp.pt.", Alnum, 40, 44),
    format("Postman key", "PMAK-", Word, 50, 64),
    format("Airtable token", "pat", Dotted, 79, 79),
    format("Supabase token", "sbp_", Hex, 40, 40),
    format("Supabase key", "sb_secret_", Word, 20, 80),
    format("Grafana token", "glsa_", Word, 40, 50),
    format("Grafana token", "glc_", Base64, 40, 400),
    format("Sentry token", "sntrys_", Base64, 60, 400),
    format("Sentry token", "sntryu_", Hex, 64, 64),
    format("New Relic key", "NRAK-", Upper, 27, 27),
    format("Pulumi token", "pul-", Hex, 40, 40),
    format("Terraform token", "tfp_", Alnum, 30, 60),
    format("Fly.io token", "fo1_", Word, 40, 60),
    format("Fly.io token", "FlyV1 ", Base64, 60, LONG),
    format("Vercel token", "vcp_", Alnum, 30, 80),
    format("Groq key", "gsk_", Alnum, 48, 56),
    format("xAI key", "xai-", Alnum, 70, 90),
    format("Replicate token", "r8_", Alnum, 37, 37),
    format("Perplexity key", "pplx-", Alnum, 40, 60),
    format("Tailscale key", "tskey-", Word, 20, 100),
    format("PlanetScale token", "pscale_tkn_", Word, 32, 64),
    format("RubyGems key", "rubygems_", Hex, 48, 48),
    format("Contentful token", "CFPAT-", Word, 43, 43),
    format("age secret key", "AGE-SECRET-KEY-1", Upper, 50, 60),
    format("Discord webhook", "discord.com/api/webhooks/", Base64, 60, 120),
    format("Telegram link", "api.telegram.org/bot", Base64, 8, 10),
];

/// The token that begins at the start of `text`: its length in bytes and its name. `joined`: it
/// stands behind a full stop or hyphen, where no format without a bound is looked for, so that
/// a row of beginnings costs no more than its length.
pub(super) fn at_start(text: &str, joined: bool) -> Option<(usize, &'static str)> {
    let first = text.as_bytes().first()?;
    let formats = FORMATS.iter().filter(|f| f.prefix.as_bytes()[0] == *first);
    let format = formats.filter(|f| !joined || f.length.1 < LONG).find_map(|f| {
        let body = text.strip_prefix(f.prefix)?;
        let (least, most) = f.length;
        let len = run(body, f.alphabet, most);
        (least..=most).contains(&len).then_some((f.prefix.len() + len, f.name))
    });
    let unbounded = || if joined { None } else { jwt(text).or_else(|| discord(text)) };
    format.or_else(|| telegram(text)).or_else(unbounded)
}

/// How many characters of the alphabet `text` begins with; at most one more than `most`.
fn run(text: &str, alphabet: Alphabet, most: usize) -> usize {
    let body = text.bytes().take(most + 1).take_while(|b| alphabet.has(*b)).count();
    // A full stop ends the sentence, not the token.
    body - text[..body].bytes().rev().take_while(|b| *b == b'.').count()
}

/// Three parts of base 64, the first two JSON objects.
fn jwt(text: &str) -> Option<(usize, &'static str)> {
    if !text.starts_with("eyJ") {
        return None;
    }
    let len = run(text, Dotted, LONG);
    let parts: Vec<&str> = text[..len].split('.').collect();
    let long = parts.len() >= 3 && parts[0].len() >= 10 && parts[1].len() >= 6;
    (long && (parts[1].starts_with("eyJ") || parts.len() == 5)).then_some((len, "JSON web token"))
}

/// `<bot id>:<35 characters>`.
fn telegram(text: &str) -> Option<(usize, &'static str)> {
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let rest = text.get(digits..)?.strip_prefix(":AA")?;
    let len = run(rest, Word, 40);
    ((8..=10).contains(&digits) && len == 33).then_some((digits + 3 + len, "Telegram bot token"))
}

/// Bot id in base 64, time, signature.
fn discord(text: &str) -> Option<(usize, &'static str)> {
    if !text.starts_with(['M', 'N', 'O']) {
        return None;
    }
    let len = run(text, Dotted, LONG);
    let parts: Vec<usize> = text[..len].split('.').map(str::len).collect();
    match parts.as_slice() {
        [24..=28, 6, 27..=38] => Some((len, "Discord bot token")),
        _ => None,
    }
}
