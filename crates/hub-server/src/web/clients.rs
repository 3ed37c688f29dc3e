//! Clients: which programs may use the hub, and how to add one.
//!
//! A key is never shown here, nor made here: what stands on a page can be copied into a chat.
//! The commands below keep it in a file of the hub's folder, and a client's configuration only
//! names that file's client.

use crate::web::access::Session;
use crate::web::html::{Badge, Here, Html, Undo};
use crate::web::{Fields, NAME, Refusal, Web, back, version};
use axum::extract::{Form, Path, State};
use axum::response::Response;
use http::HeaderMap;
use hub_core::owner::{ClientKey, ElicitationMode};

/// A program and how the hub gets into it.
struct Recipe {
    name: &'static str,
    command: &'static str,
    then: &'static str,
}

const RECIPES: [Recipe; 5] = [
    Recipe {
        name: "Claude Code",
        command: "capabilities client connect claude-code --mode browser --write .mcp.json",
        then: "Run it in your project, start Claude Code there and say yes to the new server. \
               It has a shell, so your decisions stay on these pages.",
    },
    Recipe {
        name: "Cursor",
        command: "capabilities client connect cursor --mode browser --write .cursor/mcp.json",
        then: "Run it in your project, then switch the server on under Settings, MCP. Run the \
               hub’s own commands in a terminal outside the editor.",
    },
    Recipe {
        name: "VS Code",
        command: "capabilities client connect vscode --mode browser --write .vscode/mcp.json",
        then: "Run it in your workspace, open the file and press Start above the server. Run the \
               hub’s own commands in a terminal outside the editor.",
    },
    Recipe {
        name: "Codex",
        command: "capabilities client connect codex --mode browser",
        then: "Put the printed lines into the config.toml of Codex and start it anew.",
    },
    Recipe {
        name: "Your own agent",
        command: "capabilities client connect my-agent --http",
        then: "Prints the hub’s address and a key for it, once. Give the key to the program as \
               a secret, never in a prompt. Scripts that repeat themselves add --no-dedupe.",
    },
];

pub async fn show(
    State(web): State<Web>,
    Path(session): Path<String>,
    headers: HeaderMap,
) -> Result<Response, Refusal> {
    let session = web.pages.sees(&session, &headers)?;
    let keys = web.engine.keys().await?;
    let mut main = Html::new();
    main.raw("<h1>Clients</h1><section><h2>Add one</h2><p>Each client gets a key of its own, so ")
        .raw("that you see what it did and can take it away alone. The command makes the key, ")
        .raw("keeps it in a file that only you can read, and writes the configuration, in which ")
        .raw("no key stands.</p><ul class=\"cards two\">");
    for recipe in &RECIPES {
        main.raw("<li class=\"card\"><h3>")
            .raw(recipe.name)
            .raw("</h3><pre tabindex=\"0\" ")
            .raw("role=\"region\" aria-label=\"Command for ")
            .raw(recipe.name)
            .raw("\">");
        for (at, word) in recipe.command.split(' ').enumerate() {
            // An option is not divided at its hyphens.
            main.raw(if at == 0 { "" } else { " " }).raw("<span class=\"word\">").raw(word);
            main.raw("</span>");
        }
        main.raw("</pre><p>").raw(recipe.then).raw("</p></li>");
    }
    main.raw(
        "</ul><p class=\"quiet\">A client that shows forms is trusted to show you what it is ",
    )
    .raw("asked to, and to pass on only what you answer. For an agent with a shell, take ")
    .raw("<code>--mode browser</code>: it then asks on these pages only.</p></section>");
    listed(&mut main, &session, &keys);
    let version = version(keys.iter().map(|key| format!("{} {:?}", key.id, key.revoked_at)));
    web.page(&session, Here::Clients, "Clients", &version, false, &main).await
}

fn listed(main: &mut Html, session: &Session, keys: &[ClientKey]) {
    main.raw("<section><h2>Connected</h2>");
    if keys.is_empty() {
        main.raw("<p class=\"empty\">No client has a key yet.</p></section>");
        return;
    }
    main.wide("Clients")
        .raw("<table><thead><tr><th scope=\"col\">Client</th>")
        .raw("<th scope=\"col\">Asks you</th><th scope=\"col\">Since</th>")
        .raw("<th scope=\"col\">Key</th></tr></thead><tbody>");
    for key in keys {
        main.raw("<tr><th scope=\"row\">").foreign(&key.client, NAME).raw("</th><td>");
        main.raw(match key.mode {
            ElicitationMode::Auto => "by its forms, else on these pages",
            ElicitationMode::Native => "by its own forms only",
            ElicitationMode::Browser => "on these pages only",
            ElicitationMode::Model => "through the agent",
        });
        main.raw("</td><td>").moment(key.created_at).raw("</td><td>");
        if key.revoked_at.is_some() {
            main.badge(Badge::Plain, "revoked");
        } else {
            main.raw("<div class=\"small\">").undo(
                session,
                &Undo {
                    to: "clients/revoke",
                    field: "key",
                    id: key.id.as_str(),
                    words: "Take away",
                    of: "the key of",
                    name: &key.client,
                },
            );
            main.raw("</div>");
        }
        main.raw("</td></tr>");
    }
    main.raw("</tbody></table></div></section>");
}

/// Takes a client's key away.
pub async fn revoke(
    State(web): State<Web>,
    Path(session): Path<String>,
    headers: HeaderMap,
    Form(fields): Form<Fields>,
) -> Result<Response, Refusal> {
    let session = web.pages.acts(&session, &headers, fields.text("csrf"))?;
    web.engine.revoke_key(fields.text("key")).await?;
    Ok(back(&session, "clients"))
}
