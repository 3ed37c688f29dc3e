//! `docs/types.md`: how types fare, with figures.

use super::compile::Verdict;
use super::subjects::{OPENAPI_SET, Subject};
use hub_core::ports::Declared;
use std::fmt::Write as _;
use xtask::Failure;

/// Tokens of one set of tools.
pub struct Measure {
    set: String,
    tools: usize,
    schema: usize,
    declared: usize,
    folded: usize,
    whole: usize,
    whole_omitted: usize,
}

impl Measure {
    pub fn new(subject: &Subject) -> Self {
        Self {
            set: subject.set.clone(),
            tools: subject.tools.len(),
            schema: 0,
            declared: 0,
            folded: 0,
            whole: 0,
            whole_omitted: 0,
        }
    }

    /// One tool alone: its definition as JSON, its declaration, and names left out of it.
    pub fn tool(&mut self, schema: usize, declared: usize, omitted: usize) {
        self.schema += schema;
        self.declared += declared;
        self.folded += usize::from(omitted > 0);
    }

    /// The namespace in one answer.
    pub fn whole(&mut self, tokens: usize, answer: &Declared) {
        self.whole = tokens;
        self.whole_omitted = answer.omitted.len();
    }

    pub fn line(&self) -> String {
        let each = |sum: usize| sum / self.tools.max(1);
        format!(
            "{:<28} {:>5} tools; per tool {:>6} tokens as JSON, {:>5} described, {:>4} folded; \
             whole {:>5}, {} omitted",
            self.set,
            self.tools,
            each(self.schema),
            each(self.declared),
            self.folded,
            self.whole,
            self.whole_omitted
        )
    }
}

pub fn write(measures: &[Measure], speed: &str, verdict: &Verdict<'_>) -> Result<(), Failure> {
    let mut out = String::from(HEAD);
    out.push_str("\n## Tokens\n\n");
    out.push_str(TOKENS);
    out.push_str(
        "| tools of | tools | JSON definition | described alone | ratio | with names left out \
         | all in one answer | left out of that |\n",
    );
    out.push_str("|---|---:|---:|---:|---:|---:|---:|---:|\n");
    for m in measures {
        let each = |sum: usize| sum / m.tools.max(1);
        let _ = writeln!(
            out,
            "| {} | {} | {} | {} | {:.2} | {} | {} | {} |",
            m.set,
            m.tools,
            each(m.schema),
            each(m.declared),
            m.declared as f64 / m.schema.max(1) as f64,
            m.folded,
            m.whole,
            m.whole_omitted
        );
    }
    out.push_str(&peers(measures));
    let _ = writeln!(out, "\n## Import\n\n{speed}");
    out.push_str("\n## Compiled\n\n");
    let _ = writeln!(
        out,
        "{} modules (every tool with every name that its answer left out, and every namespace \
         whole): {} errors under `tsc --strict`.\n",
        verdict.modules,
        verdict.broken.len()
    );
    out.push_str("## There and back\n\n");
    out.push_str(ROUND);
    out.push_str("| values | as wished | of | share |\n|---|---:|---:|---:|\n");
    let mut row = |name: &str, (good, of): (usize, usize)| {
        let share = good as f64 * 100.0 / of.max(1) as f64;
        let _ = writeln!(out, "| {name} | {good} | {of} | {share:.1} % |");
    };
    row("that fit, accepted by the type", verdict.fitting);
    for (change, count) in &verdict.refused {
        row(&format!("with {change}, refused by the type"), *count);
    }
    std::fs::create_dir_all("docs")?;
    std::fs::write("docs/types.md", out)?;
    Ok(())
}

/// All servers together, beside what others print for the same tools.
fn peers(measures: &[Measure]) -> String {
    let servers = measures.iter().filter(|m| m.set != OPENAPI_SET);
    let sum = |of: fn(&Measure) -> usize| servers.clone().map(of).sum::<usize>();
    let tools = sum(|m| m.tools).max(1);
    let (schema, declared) = (sum(|m| m.schema) / tools, sum(|m| m.declared) / tools);
    format!(
        "\nAll {tools} tools of the servers, on average:\n\n\
         | printed by | tokens per tool | and what is lost |\n|---|---:|---|\n\
         | JSON definition | {schema} | nothing |\n\
         | describe, a tool in its own answer | {declared} | nothing that a type can say |\n\
         {PEERS}"
    )
}

/// Measured once, over the same recorded answers, with the packages' own functions.
const PEERS: &str = "\
| @cloudflare/codemode 0.5.6, types from JSON Schema | 289 | |
| json-schema-to-typescript 16.0.0, interfaces only | 195 | no function: no tool's name or result |
| @utcp/code-mode 1.2.12, interface of a tool | 182 | alternatives and nested descriptions |
";

const HEAD: &str = "# Types, measured

Written by `cargo xtask types`; do not edit. Tools: the recorded answers of real servers to
`tools/list`, and every operation of GitHub's REST description (`@octokit/openapi`), its
parameters and body as input and its first success as output.
";

const TOKENS: &str =
    "Tokens are those of o200k_base, on average per tool. JSON definition: name, description and
schemas as `tools/list` has them. Described alone: the whole answer of `describe` for one
tool, its fixed first lines included, under the budget of 2,500.

";

const ROUND: &str =
    "Values are generated from each schema and kept where the validator agrees. Each is then
changed once in a way that a type can say, and kept where the validator refuses it.

";
