//! `cargo xtask killtest`: the real hub under a source that counts, ended by SIGKILL while a
//! program of a hundred calls is at work, started again, and asked to go on.
//!
//! The source is this process, reached over HTTP and over standard streams, and it is the source
//! that kills: at the very call that a point names. Each point is a call, a moment and a
//! transport. Every effect has a text of its own, so that one that came twice, or not at all
//! although the program was told that it did, is seen in what the source received.

mod hub;
mod source;

use crate::hub_process::{self, number, value, wait_for};
use hub::Hub;
use serde::Deserialize;
use source::{Moment, Source, Transport, Trap};
use std::sync::Arc;
use xtask::Failure;

/// Calls that are points where none are asked for.
const POINTS: usize = 20;
/// Calls of the program: a read and an effect in turn.
const CALLS: usize = 100;

/// What was seen, over all points.
#[derive(Default)]
struct Tally {
    points: usize,
    missed: usize,
    doubled: usize,
    lost: usize,
    /// Effects of which the program was told that nobody knows.
    unknown: usize,
    /// Those among them that never left: killed between intent and send.
    unsent: usize,
}

/// What the program returns.
#[derive(Deserialize)]
struct Told {
    point: String,
    unknown: Vec<usize>,
}

/// `killtest [--points N] [--binary FILE]`
pub fn run(args: &[String]) -> Result<(), Failure> {
    if let Some(socket) = value(args, source::PIPE) {
        return source::pipe(socket);
    }
    let points = number(args, "--points", POINTS)?;
    let home = tempfile::tempdir()?;
    let hub = Arc::new(Hub::new(hub_process::Hub::find(args, home.path().to_owned())?));
    let tested = test(&hub, points.clamp(1, CALLS));
    hub.kill()?;
    let tally = tested?;
    println!(
        "{} points ({} reached), {} effects of unknown outcome, {} of them never sent: \
         {} doubled, {} lost",
        tally.points,
        tally.points - tally.missed,
        tally.unknown,
        tally.unsent,
        tally.doubled,
        tally.lost
    );
    if tally.doubled + tally.lost > 0 {
        return Err(Failure::from("a call was doubled or lost; its line is above"));
    }
    Ok(())
}

fn test(hub: &Arc<Hub>, points: usize) -> Result<Tally, Failure> {
    let source = Source::open(hub.clone())?;
    hub.start()?;
    hub.add_sources(&source)?;
    let mut tally = Tally::default();
    for point in 0..points {
        let call = 1 + point * (CALLS - 1) / points.saturating_sub(1).max(1);
        for transport in [Transport::Http, Transport::Stdio] {
            for moment in [Moment::Before, Moment::Received, Moment::Answered] {
                let trap = Trap { call, moment, effect: call.is_multiple_of(2) };
                one(hub, &source, transport, trap, &mut tally)?;
            }
        }
    }
    Ok(tally)
}

/// One point: the program is started, the hub dies at its call, another hub goes on.
fn one(
    hub: &Arc<Hub>,
    source: &Source,
    transport: Transport,
    trap: Trap,
    tally: &mut Tally,
) -> Result<(), Failure> {
    let point = format!("{transport:?}-{}-{:?}", trap.call, trap.moment).to_lowercase();
    let code = program(&point, transport);
    source.arm(trap);
    let asking = {
        let (hub, code) = (hub.clone(), code.clone());
        std::thread::spawn(move || hub.execute(&code).is_ok())
    };
    wait_for(|| hub.is_dead() || asking.is_finished());
    source.disarm();
    let ended = asking.join().unwrap_or(false);
    if ended || !hub.is_dead() {
        println!("point {point}: the program ended before it");
        tally.missed += 1;
    }
    hub.start()?;
    let told = match hub.resume()? {
        Some(told) if told.point == point => told,
        // The run was not in the store yet: nothing of it can have been sent.
        _ => {
            if source.received().iter().any(|text| text.starts_with(&format!("{point} "))) {
                println!("lost: {point} was sent and is not known to the hub");
                tally.lost += 1;
            }
            hub.execute(&code)?
        }
    };
    check(&point, &told, source, tally);
    Ok(())
}

/// A read and an effect, fifty times; effects whose fate is unknown are returned.
fn program(point: &str, transport: Transport) -> String {
    format!(
        "const unknown = [];\n\
         for (let i = 0; i < {half}; i++) {{\n\
           await {source}.look({{}});\n\
           const text = `{point} ${{i}}.`;\n\
           try {{ if ((await {source}.add({{ text }})).text !== text) throw new Error(text); }}\n\
           catch (e) {{ if (e.code !== \"outcome_unknown\") throw e; unknown.push(i); }}\n\
         }}\n\
         return {{ point: \"{point}\", unknown }};",
        half = CALLS / 2,
        source = transport.name(),
    )
}

/// What became of each effect, by what the source received.
fn check(point: &str, told: &Told, source: &Source, tally: &mut Tally) {
    let received = source.received();
    tally.points += 1;
    tally.unknown += told.unknown.len();
    for i in 0..CALLS / 2 {
        let text = format!("{point} {i}.");
        let times = received.iter().filter(|seen| **seen == text).count();
        let unknown = told.unknown.contains(&i);
        if times > 1 {
            println!("doubled: {text} was received {times} times");
            tally.doubled += 1;
        }
        if times == 0 && !unknown {
            println!("lost: {text} was answered and never received");
            tally.lost += 1;
        }
        tally.unsent += usize::from(times == 0 && unknown);
    }
}
