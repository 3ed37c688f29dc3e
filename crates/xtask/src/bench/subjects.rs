//! Who is measured, and how each is told to run a program. The programs do the same in all.

use super::place::Place;

/// The language that a subject's programs are written in.
#[derive(Clone, Copy, PartialEq)]
pub enum Language {
    /// The body of an async JavaScript function.
    JavaScript,
    /// An async JavaScript arrow function.
    Arrow,
    /// Python.
    Python,
    /// None: tools are called one by one.
    Direct,
}

/// One hub, library or plain server.
pub struct Subject {
    /// As it stands in the tables.
    pub name: &'static str,
    /// Its version, pinned.
    pub version: &'static str,
    /// What its programs are written in.
    pub language: Language,
    /// The tool that runs a program, or the one that is called directly.
    pub tool: &'static str,
    /// One call of the echo tool, as an expression.
    pub echo: &'static str,
    /// Calls can be in flight at once.
    pub at_once: bool,
}

/// The floor: an MCP client that calls the source itself.
pub const DIRECT: Subject = Subject {
    name: "direct",
    version: "",
    language: Language::Direct,
    tool: "echo",
    echo: "",
    at_once: false,
};

/// This hub.
pub const HUB: Subject = Subject {
    name: "capabilities",
    version: env!("CARGO_PKG_VERSION"),
    language: Language::JavaScript,
    tool: "execute",
    echo: r#"await everything.echo({ message: "pong" })"#,
    at_once: true,
};

/// Peers that are installed by [`super::place`].
pub const PEERS: &[Subject] = &[
    Subject {
        name: "@utcp/code-mode",
        version: "1.2.12",
        language: Language::JavaScript,
        tool: "call_tool_chain",
        echo: r#"everything.everything_echo({ message: "pong" })"#,
        at_once: false,
    },
    Subject {
        name: "toolplane",
        version: "0.5.2",
        language: Language::Python,
        tool: "execute_code",
        echo: r#"await call_tool("mcp:everything/echo", {"message": "pong"})"#,
        at_once: true,
    },
    Subject {
        name: "mcp-use",
        version: "1.7.1",
        language: Language::Python,
        tool: "execute_code",
        echo: r#"await everything.echo(message="pong")"#,
        at_once: false,
    },
    Subject {
        name: "@cloudflare/codemode",
        version: "0.5.6",
        language: Language::Arrow,
        tool: "execute",
        echo: r#"await everything.echo({ message: "pong" })"#,
        at_once: true,
    },
    Subject {
        name: "FastMCP code mode",
        version: "4.2.3",
        language: Language::Python,
        tool: "execute",
        echo: r#"await call_tool("echo", {"message": "pong"})"#,
        at_once: true,
    },
    Subject {
        name: "Executor",
        version: "1.5.9",
        language: Language::JavaScript,
        tool: "execute",
        echo: r#"(await tools.echo.org.main.echo.getOperation({ msg: "pong" })).data"#,
        at_once: true,
    },
];

impl Subject {
    /// The command of a peer that speaks on standard input and output.
    pub fn command(&self, place: &Place) -> Option<Vec<String>> {
        let python = |venv: &str| place.python(venv, "python");
        let command = match self.name {
            "direct" => place.upstream(),
            "@utcp/code-mode" => {
                vec![place.node(), "--no-node-snapshot".into(), place.adapter("utcp.mjs")]
            }
            "@cloudflare/codemode" => vec![place.node(), place.adapter("cloudflare.mjs")],
            "FastMCP code mode" => vec![python("fastmcp"), place.adapter("fastmcp_hub.py")],
            "mcp-use" => vec![python("mcpuse"), place.adapter("mcpuse_hub.py")],
            "toolplane" => {
                let serve = ["serve", "mcp", "--config"].map(str::to_owned);
                let config = place.toolplane_config();
                [place.python("toolplane", "toolplane")]
                    .into_iter()
                    .chain(serve)
                    .chain([config])
                    .collect()
            }
            _ => return None,
        };
        Some(command)
    }

    /// A whole program from a body in the subject's own language.
    pub fn program(&self, body: &str) -> String {
        match self.language {
            Language::Arrow => format!("async () => {{ {body} }}"),
            _ => body.to_owned(),
        }
    }

    /// Gives back 1.
    pub fn trivial(&self) -> String {
        self.program(if self.language == Language::Python { "return 1" } else { "return 1;" })
    }

    /// One call, its answer returned.
    pub fn one(&self) -> String {
        self.program(&format!("return {}", self.echo))
    }

    /// `n` calls, each after the one before.
    pub fn in_a_row(&self, n: usize) -> String {
        let echo = self.echo;
        self.program(&match self.language {
            Language::Python => format!("r = None\nfor i in range({n}):\n    r = {echo}\nreturn r"),
            _ => format!("let r; for (let i = 0; i < {n}; i++) r = {echo}; return r;"),
        })
    }

    /// `n` calls at once, where the subject can.
    pub fn all_at_once(&self, n: usize) -> Option<String> {
        let echo = self.echo.trim_start_matches("await ");
        let all = match self.language {
            Language::Python => format!(
                "import asyncio\nr = await asyncio.gather(*[{echo} for i in range({n})])\nreturn r[0]"
            ),
            _ if self.name == "Executor" => format!(
                "const r = await Promise.all(Array.from({{ length: {n} }}, async () => {})); \
                 return r[0];",
                self.echo
            ),
            _ => format!(
                "const r = await Promise.all(Array.from({{ length: {n} }}, () => {echo})); \
                 return r[0];"
            ),
        };
        self.at_once.then(|| self.program(&all))
    }
}
