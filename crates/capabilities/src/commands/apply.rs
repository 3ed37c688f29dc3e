//! `apply`: makes the hub as a file says, after showing what changes.

use crate::commands::source::add::lets_go;
use crate::config::hub_file::HubFile;
use crate::config::plan::{Current, Step, plan, widens};
use crate::config::settings::Settings;
use crate::context::Context;
use crate::error::CliError;
use crate::gate::Gate;
use crate::hub;
use hub_server::api::{connections, keys, policy, sources};
use std::path::PathBuf;

/// Arguments of `apply`.
#[derive(clap::Args, Debug)]
pub struct Args {
    /// The file
    #[arg(default_value = "hub.toml")]
    file: PathBuf,
    /// Show the changes, make none
    #[arg(long)]
    dry_run: bool,
}

/// Plans, shows, asks where rights widen, does.
pub async fn run(args: Args, context: &Context) -> Result<(), CliError> {
    let text = std::fs::read_to_string(&args.file)
        .map_err(|e| CliError::usage(format!("cannot read {}: {e}", args.file.display())))?;
    let file = std::path::absolute(&args.file)?;
    let folder = file.parent().unwrap_or(&file);
    let wanted = HubFile::parse(&text, folder).map_err(|mut error| {
        error.message = format!("{}: {}", args.file.display(), error.message);
        error
    })?;
    let rules = hub::call(context, &policy::list::List {}).await?;
    let current = Current {
        sources: hub::call(context, &sources::list::List {}).await?,
        rules: rules.into_iter().map(|view| view.rule).collect(),
        keys: hub::call(context, &keys::list::List {}).await?,
        settings: Settings::read(&context.folder)?,
    };
    let steps = plan(&current, &wanted);
    context.out.answer(&steps, |_, steps| match steps.len() {
        0 => "nothing to do: the hub is as the file says".to_owned(),
        _ => steps.iter().map(Step::told).collect::<Vec<_>>().join("\n"),
    });
    if args.dry_run || steps.is_empty() {
        return Ok(());
    }
    let mut who = format!("apply {}", args.file.display());
    if widens(&current, &steps) {
        let mut gate = Gate::open(context, "a change that widens rights").await?;
        let mut told: Vec<String> = steps.iter().map(Step::told).collect();
        for step in &steps {
            if let Step::AddSource(source) = step {
                let rules = sources::add::inherited(&source.name, &current.sources, &current.rules);
                told.extend(rules.map(lets_go));
            }
        }
        let facts: Vec<String> =
            told.iter().flat_map(|told| told.lines()).map(str::to_owned).collect();
        gate.confirm(&facts, "make these changes?")?;
        who = format!("{who}, {}", gate.by);
    }
    for step in steps {
        let told = step.told();
        take(context, step, &who).await.map_err(|error| {
            error.hint(format!("at: {told}")).hint("apply again: what was done stays done")
        })?;
    }
    context.out.note("done");
    Ok(())
}

async fn take(context: &Context, step: Step, who: &str) -> Result<(), CliError> {
    match step {
        Step::AddSource(source) => {
            let added = hub::call(context, &sources::add::Add { source }).await?;
            warn(context, &added);
        }
        Step::UpdateSource(source) => {
            let updated = hub::call(context, &sources::update::Update { source }).await?;
            warn(context, &updated);
        }
        Step::RemoveSource(name) => {
            hub::call(context, &sources::remove::Remove { name }).await?;
        }
        Step::PutConnection(connection) => {
            hub::call(context, &connections::put::Put { connection }).await?;
        }
        Step::ReplaceRules(rules) => {
            let request = policy::replace_file::ReplaceFile { rules, who: who.to_owned() };
            hub::call(context, &request).await?;
        }
        Step::Limit(settings) => settings.write(&context.folder)?,
    }
    Ok(())
}

fn warn(context: &Context, refreshed: &hub_engine::Refreshed) {
    let view = &refreshed.view;
    match &view.problem {
        Some(problem) => {
            context.out.note(&format!("{} does not answer: {problem}", view.source.name))
        }
        None => context.out.note(&format!("{}: {} tools", view.source.name, view.tools)),
    }
}
