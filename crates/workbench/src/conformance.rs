//! `cargo xtask conformance [--requirements R] [--only RUN]`: the protocol's own suite against
//! the hub, both ways, with what may fail written down in `ci/conformance.toml`.
//!
//! What is run against what: the real binary's own endpoint; the direct surface in front of a
//! fixture (so that the wire toward agents and the wire toward sources are both in the way); and
//! the client set against the client that sources are spoken to with. A line per scenario, a
//! summary per run; an unexpected failure and an expectation that does not hold are both errors.

mod clock;
mod expected;
mod fixture;
mod hub;
mod keyed;
mod questions;
mod relay;
mod suite;

use expected::{Expected, Run, Target};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use suite::{Side, Suite, Tally};
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;
use xtask::Failure;

/// The key of the relay.
const TOKEN: &str = "token-suite";

/// Runs what is asked for.
pub fn run(args: &[String]) -> Result<(), Failure> {
    let value = |name: &str| {
        args.iter().position(|arg| arg == name).and_then(|at| args.get(at + 1)).map(String::as_str)
    };
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize()?;
    let expected = Expected::read(&root.join("ci/conformance.toml"))?;
    let runs: Vec<&Run> = expected
        .runs
        .iter()
        .filter(|run| value("--requirements").is_none_or(|revision| run.revision == revision))
        .filter(|run| value("--only").is_none_or(|name| run.name == name))
        .collect();
    if runs.is_empty() {
        return Err("no run is of that name or revision; see ci/conformance.toml".into());
    }
    let suite = Suite::find(&root)?;
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    let tallies = runtime.block_on(all(&expected, &runs, &suite))?;
    println!();
    for (run, tally) in runs.iter().zip(&tallies) {
        println!("{:<34} {tally}", run.name);
    }
    let sum = tallies.into_iter().sum::<Tally>();
    println!("{:<34} {sum}", "all");
    match sum.unexpected {
        0 => Ok(()),
        n => Err(Failure(format!("{n} things are not as expected; they are marked above"))),
    }
}

async fn all(expected: &Expected, runs: &[&Run], suite: &Suite) -> Result<Vec<Tally>, Failure> {
    // Everything that is served here ends with this.
    let stop = CancellationToken::new();
    let _ended = stop.clone().drop_guard();
    let mut tallies = Vec::new();
    for run in runs {
        let scratch = tempfile::tempdir()?;
        let tally = match run.target {
            Target::Client => {
                let client = suite::speak()?;
                suite.run(run, expected, &Side::Client(client), scratch.path()).await?
            }
            Target::Hub => {
                let hub = hub::Hub::start(scratch.path()).await?;
                let url = keyed(hub.port, hub.token.clone(), &stop).await?;
                let tally = suite.run(run, expected, &Side::Server(url), scratch.path()).await?;
                hub.stop().await?;
                tally
            }
            Target::Relay | Target::RelayOlder => {
                let older = run.target == Target::RelayOlder;
                let url = relayed(older, &stop).await?;
                suite.run(run, expected, &Side::Server(url), scratch.path()).await?
            }
        };
        tallies.push(tally);
    }
    Ok(tallies)
}

/// A fresh fixture behind a fresh relay; the URL at which the suite finds it.
async fn relayed(older: bool, stop: &CancellationToken) -> Result<String, Failure> {
    let (listener, at) = free().await?;
    serve(listener, axum::Router::new().route_service("/mcp", fixture::service()), stop);
    let relay = relay::Relay::open(format!("http://{at}/mcp"), older).await;
    let relay = relay.map_err(|error| Failure(format!("the fixture is not heard: {error}")))?;
    let (listener, at) = free().await?;
    let surface = hub_server::Surface::Direct(relay);
    serve(listener, hub_server::surface(surface, at.port(), stop.clone()), stop);
    keyed(at.port(), TOKEN.to_owned(), stop).await
}

/// A proxy that adds the key; its URL.
async fn keyed(target: u16, token: String, stop: &CancellationToken) -> Result<String, Failure> {
    let (listener, at) = free().await?;
    serve(listener, keyed::router(keyed::Keyed { port: at.port(), target, token }), stop);
    Ok(format!("http://{at}/mcp"))
}

async fn free() -> Result<(TcpListener, SocketAddr), Failure> {
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    let at = listener.local_addr()?;
    Ok((listener, at))
}

fn serve(listener: TcpListener, router: axum::Router, stop: &CancellationToken) {
    let until = stop.clone().cancelled_owned();
    let served = axum::serve(listener, router).with_graceful_shutdown(until);
    crate::tasks::spawn(async move { served.await.unwrap_or_default() });
}

/// Builds with cargo in the profile of this chore; returns the folder of what it made.
fn build(args: &[&str]) -> Result<PathBuf, Failure> {
    let here = std::env::current_exe()?;
    let folder = here.parent().ok_or("this program stands in no folder")?;
    let status = xtask::cargo().args(["build", "--quiet"]).args(args).status()?;
    match status.success() {
        true => Ok(folder.to_owned()),
        false => Err(Failure(format!("cargo build {} failed", args.join(" ")))),
    }
}
