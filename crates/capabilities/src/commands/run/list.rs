//! `run list`.

use crate::context::Context;
use crate::error::CliError;
use crate::hub;
use crate::output::Out;
use hub_core::run::RunRecord;
use hub_server::api::runs::list::List;

/// Columns of code that are shown.
const CODE_COLUMNS: usize = 48;

/// Arguments of `run list`.
#[derive(clap::Args, Debug)]
pub struct Args {
    /// At most so many
    #[arg(long, short = 'n', default_value_t = 20)]
    limit: usize,
}

/// Lists runs of every client.
pub async fn run(args: Args, context: &Context) -> Result<(), CliError> {
    let runs = hub::call(context, &List { limit: args.limit }).await?;
    context.out.answer(runs.as_slice(), show);
    Ok(())
}

fn show(out: &Out, runs: &[RunRecord]) -> String {
    let row = |run: &RunRecord| {
        let code: String = run.code.split_whitespace().collect::<Vec<_>>().join(" ");
        vec![
            run.id.to_string(),
            run.status.as_str().to_owned(),
            run.client.clone(),
            run.effects.to_string(),
            code.chars().take(CODE_COLUMNS).collect(),
        ]
    };
    let rows: Vec<_> = runs.iter().map(row).collect();
    out.table(&["RUN", "STATUS", "CLIENT", "EFFECTS", "CODE"], &rows, "no runs yet")
}
