//! `client connect`: a key of its own for a client, and what to write into its configuration.

use crate::clients;
use crate::context::Context;
use crate::error::{CliError, Kind};
use crate::gate::Gate;
use crate::hub;
use crate::output::{Out, Style};
use clap::ValueEnum;
use hub_core::owner::ElicitationMode;
use hub_server::api::hub::status::AskStatus;
use hub_server::api::keys::issue::Issue;
use serde::Serialize;
use serde_json::{Value, json};
use std::path::PathBuf;

/// Arguments of `client connect`.
#[derive(clap::Args, Debug)]
pub struct Args {
    /// Its name: claude-code, cursor, vscode, codex, or any other
    name: String,
    /// Whose form of configuration; told by the name where it is one of these
    #[arg(long, value_enum)]
    form: Option<Form>,
    /// Let the client connect to the hub's URL with the key, instead of starting a pipe
    #[arg(long)]
    http: bool,
    /// How you are asked: auto and native let this client show you forms, for which you are
    /// asked here; browser does not. Without it you are asked whether forms are fine
    #[arg(long, value_enum)]
    mode: Option<Mode>,
    /// Run identical programs anew each time; for scripts
    #[arg(long)]
    no_dedupe: bool,
    /// Leave results out of the line of text, for clients that hand over structured content
    #[arg(long)]
    summary: bool,
    /// Add it to this configuration file instead of printing it
    #[arg(long, value_name = "FILE")]
    write: Option<PathBuf>,
}

/// Forms of configuration.
#[derive(Clone, Copy, Debug, PartialEq, ValueEnum)]
pub enum Form {
    /// `mcpServers` in JSON.
    ClaudeCode,
    /// The same.
    Cursor,
    /// `servers` in JSON.
    Vscode,
    /// `[mcp_servers.NAME]` in TOML.
    Codex,
    /// `mcpServers` in JSON.
    Generic,
}

/// How the person is asked.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum Mode {
    /// A form where the client shows one, else page or terminal
    Auto,
    /// Only page or terminal
    Browser,
    /// Only forms of the client
    Native,
}

/// What is printed.
#[derive(Debug, Serialize)]
struct Connected {
    client: String,
    mode: ElicitationMode,
    form: String,
    configuration: Value,
    written: Option<PathBuf>,
}

/// Issues the key and shows the configuration.
pub async fn run(args: Args, context: &Context) -> Result<(), CliError> {
    let name = clients::checked(&args.name)?;
    let form = args.form.unwrap_or_else(|| Form::of(&name));
    let mode = mode(args.mode, &name, context).await?;
    let issue = Issue { client: name.clone(), mode, dedupe: !args.no_dedupe };
    let token = hub::call(context, &issue).await?.token;
    let server = if args.http {
        let status = hub::call(context, &AskStatus {}).await?;
        let port = status.addresses.first().map_or(0, std::net::SocketAddr::port);
        let query = if args.summary { "?text=summary" } else { "" };
        let url = format!("http://127.0.0.1:{port}/mcp{query}");
        json!({ "type": "http", "url": url,
            "headers": { "Authorization": format!("Bearer {token}") } })
    } else {
        clients::keep(context, &name, &token)?;
        pipe(context, &name, args.summary)?
    };
    let configuration = form.configuration(server);
    if let Some(path) = &args.write {
        form.add_to(path, &configuration)?;
    }
    let connected =
        Connected { client: name, mode, form: form.name(), configuration, written: args.write };
    context.out.answer(&connected, |out, connected| show(out, form, connected));
    Ok(())
}

/// The command that a client starts: this program, as a pipe.
fn pipe(context: &Context, client: &str, summary: bool) -> Result<Value, CliError> {
    let command = std::env::current_exe()?.to_string_lossy().into_owned();
    let home = context.folder.root().to_string_lossy().into_owned();
    let mut args = vec!["--home".to_owned(), home, "hub".into(), "stdio".into()];
    args.extend(["--client".to_owned(), client.to_owned()]);
    if summary {
        args.push("--summary".to_owned());
    }
    Ok(json!({ "command": command, "args": args }))
}

/// The name under which clients list the hub.
const NAME: &str = "capabilities";

impl Form {
    fn of(client: &str) -> Self {
        let lower = client.to_lowercase();
        let known = [
            ("claude", Self::ClaudeCode),
            ("cursor", Self::Cursor),
            ("vscode", Self::Vscode),
            ("codex", Self::Codex),
        ];
        known.into_iter().find(|(n, _)| lower.contains(n)).map_or(Self::Generic, |(_, form)| form)
    }

    fn name(self) -> String {
        self.to_possible_value().map_or(String::new(), |v| v.get_name().to_owned())
    }

    /// Where the client keeps its servers.
    fn place(self) -> &'static str {
        match self {
            Self::ClaudeCode => ".mcp.json in the project",
            Self::Cursor => ".cursor/mcp.json",
            Self::Vscode => ".vscode/mcp.json",
            Self::Codex => "config.toml of Codex",
            Self::Generic => "the client's configuration",
        }
    }

    fn configuration(self, mut server: Value) -> Value {
        match self {
            Self::Vscode => {
                if server.get("command").is_some() {
                    server["type"] = json!("stdio");
                }
                json!({ "servers": { NAME: server } })
            }
            Self::Codex => {
                if let Some(headers) = server.as_object_mut().and_then(|s| s.remove("headers")) {
                    server["http_headers"] = headers;
                    server.as_object_mut().map(|s| s.remove("type"));
                }
                json!({ "mcp_servers": { NAME: server } })
            }
            Self::ClaudeCode | Self::Cursor | Self::Generic => {
                json!({ "mcpServers": { NAME: server } })
            }
        }
    }

    /// The text that stands in the file.
    fn text(self, configuration: &Value) -> String {
        match self {
            Self::Codex => toml::to_string_pretty(configuration).unwrap_or_default(),
            _ => serde_json::to_string_pretty(configuration).unwrap_or_default(),
        }
    }

    /// Adds it to what the file holds; a file that cannot be read is left alone.
    fn add_to(self, path: &std::path::Path, configuration: &Value) -> Result<(), CliError> {
        let unreadable = |e: &dyn std::fmt::Display| {
            CliError::usage(format!("{} is left as it is: {e}", path.display()))
                .hint("leave --write out and paste the lines yourself")
        };
        let before = match std::fs::read_to_string(path) {
            Ok(text) => text,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => String::new(),
            Err(error) => return Err(unreadable(&error)),
        };
        let mut whole: Value = match (before.trim().is_empty(), self) {
            (true, _) => json!({}),
            (false, Self::Codex) => {
                toml::from_str(&before).map_err(|e| unreadable(&e.message()))?
            }
            (false, _) => serde_json::from_str(&before).map_err(|e| unreadable(&e))?,
        };
        let other = "it does not have the form of such a file";
        let all = whole.as_object_mut().ok_or_else(|| unreadable(&other))?;
        for (place, servers) in configuration.as_object().into_iter().flatten() {
            let known = all.entry(place.clone()).or_insert_with(|| json!({}));
            let known = known.as_object_mut().ok_or_else(|| unreadable(&other))?;
            known.extend(servers.as_object().cloned().unwrap_or_default());
        }
        if let Some(folder) = path.parent().filter(|f| !f.as_os_str().is_empty()) {
            std::fs::create_dir_all(folder)?;
        }
        Ok(crate::folder::write_private(path, &(self.text(&whole) + "\n"))?)
    }
}

fn show(out: &Out, form: Form, connected: &Connected) -> String {
    let mut text = match &connected.written {
        Some(path) => format!("{} now has the hub", path.display()),
        None => {
            let place = out.paint(Style::Dim, &format!("put this into {}:", form.place()));
            format!("{place}\n{}", form.text(&connected.configuration).trim_end())
        }
    };
    text.push_str("\n\n");
    text.push_str(match connected.mode {
        ElicitationMode::Browser => BROWSER,
        _ => FORMS,
    });
    text
}

const BROWSER: &str = "You are asked on the hub's page or in a terminal, never by this client.";
const FORMS: &str = "You trust this client to show you what it is asked to, and to pass on only \
                     what you answer; for an agent with a shell choose --mode browser.";

/// How the client's person is asked. A client that shows forms could answer them itself, so that
/// is for a person to allow; where nobody did, it gets a key without forms.
async fn mode(
    wanted: Option<Mode>,
    client: &str,
    context: &Context,
) -> Result<ElicitationMode, CliError> {
    const WHAT: &str = "letting a client ask you by its own forms";
    let has_shell = Form::of(client) != Form::Generic;
    let facts = [
        format!("{client} may show you what waits by its own forms, and pass on what you answer."),
        match has_shell {
            true => format!(
                "{client} can run commands of its own, and so answer its own forms: better say \
                 no, and you are asked on the hub's page."
            ),
            false => "An agent with a shell could answer them itself: for one say no.".to_owned(),
        },
    ];
    let wanted = match wanted {
        Some(Mode::Browser) => return Ok(ElicitationMode::Browser),
        Some(Mode::Auto) => ElicitationMode::Auto,
        Some(Mode::Native) => ElicitationMode::Native,
        None => {
            let gate = Gate::open(context, WHAT).await;
            let agrees = match gate {
                Ok(mut gate) => gate.agrees(&facts, "trust it with that?")?,
                Err(error) if error.kind == Kind::Refused => {
                    context.out.note(&format!("without forms: {}", error.message));
                    false
                }
                Err(error) => return Err(error),
            };
            let mode = if agrees { ElicitationMode::Auto } else { ElicitationMode::Browser };
            return Ok(mode);
        }
    };
    let mut gate = Gate::open(context, WHAT).await?;
    gate.confirm(&facts, "trust it with that?")?;
    Ok(wanted)
}
