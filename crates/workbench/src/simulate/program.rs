//! Random guest programs: what models write, in small.

use hub_core::ports::GuestError;
use hub_testkit::{Api, SeededRandom};
use serde_json::{Value, json};
use std::future::Future;
use std::pin::Pin;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// A statement.
#[derive(Clone, Debug)]
pub enum Step {
    /// Await one thing; its value goes into the result.
    Await(Thing),
    /// Await all, or the first failure.
    All(Vec<Thing>),
    /// Await each, failures as values.
    Settled(Vec<Thing>),
    /// Await the first to settle; the others go on.
    Race(Vec<Thing>),
    /// Run, and where something throws run the other.
    Try(Vec<Step>, Vec<Step>),
    /// Run so many times.
    Loop(u32, Vec<Step>),
    /// Start a call and do not await it.
    Detach(Thing),
}

/// Something to await.
#[derive(Clone, Debug)]
pub enum Thing {
    /// A call of this tool.
    Call(&'static str),
    /// A call, then another with what the first one gave.
    Chain(&'static str, &'static str),
    /// A timer.
    Sleep(u32),
}

/// A whole program.
#[derive(Clone, Debug)]
pub struct Program(Arc<Vec<Step>>);

/// The tools of the scripted source, some more likely than others.
const TOOLS: [&str; 8] = ["read", "read", "write", "write", "write", "ask", "fail", "put"];

impl Program {
    /// A random program of a handful of statements.
    pub fn random(random: &SeededRandom) -> Self {
        Self(Arc::new(steps(random, 0)))
    }

    /// The program as a guest runs it.
    pub fn main(self, api: Api) -> impl Future<Output = Result<Value, GuestError>> + Send {
        let steps = self.0;
        async move {
            let run = Run { api, ids: AtomicU32::new(0), seen: Mutex::default() };
            let run = Arc::new(run);
            run.steps(&steps).await?;
            let seen = run.seen.lock().unwrap_or_else(PoisonError::into_inner);
            Ok(Value::Array(seen.clone()))
        }
    }
}

fn steps(random: &SeededRandom, depth: u32) -> Vec<Step> {
    (0..1 + random.below(3)).map(|_| step(random, depth)).collect()
}

fn step(random: &SeededRandom, depth: u32) -> Step {
    let many = |random: &SeededRandom| (0..1 + random.below(4)).map(|_| thing(random)).collect();
    match random.below(if depth < 2 { 12 } else { 7 }) {
        0..=2 => Step::Await(thing(random)),
        3 => Step::All(many(random)),
        4 => Step::Settled(many(random)),
        5 => Step::Race(many(random)),
        6 => Step::Detach(thing(random)),
        7..=9 => Step::Try(steps(random, depth + 1), steps(random, depth + 1)),
        _ => Step::Loop(1 + random.below(3) as u32, steps(random, depth + 1)),
    }
}

fn thing(random: &SeededRandom) -> Thing {
    let tool = |random: &SeededRandom| TOOLS[random.below(TOOLS.len() as u64) as usize];
    match random.below(6) {
        0 => Thing::Sleep(random.below(400) as u32),
        1 => Thing::Chain(tool(random), tool(random)),
        _ => Thing::Call(tool(random)),
    }
}

/// One run of a program. Identifiers of calls are given in the order the calls start.
struct Run {
    api: Api,
    ids: AtomicU32,
    seen: Mutex<Vec<Value>>,
}

type Boxed<T> = Pin<Box<dyn Future<Output = Result<T, GuestError>> + Send>>;

impl Run {
    fn steps<'a>(
        self: &'a Arc<Self>,
        steps: &'a [Step],
    ) -> Pin<Box<dyn Future<Output = Result<(), GuestError>> + Send + 'a>> {
        Box::pin(async move {
            for step in steps {
                self.step(step).await?;
            }
            Ok(())
        })
    }

    async fn step(self: &Arc<Self>, step: &Step) -> Result<(), GuestError> {
        match step {
            Step::Await(thing) => {
                let value = self.start(thing).await?;
                self.note(value);
            }
            Step::All(things) => {
                let all: Vec<_> = things.iter().map(|t| self.start(t)).collect();
                let values = futures_util::future::try_join_all(all).await?;
                self.note(Value::Array(values));
            }
            Step::Settled(things) => {
                let all: Vec<_> = things.iter().map(|t| self.start(t)).collect();
                for settled in futures_util::future::join_all(all).await {
                    self.note(settled.unwrap_or_else(|e| json!({ "failed": e.message })));
                }
            }
            Step::Race(things) => {
                let all: Vec<_> = things.iter().map(|t| self.start(t)).collect();
                let (first, _, _) = futures_util::future::select_all(all).await;
                self.note(first?);
            }
            Step::Try(main, other) => {
                if let Err(error) = self.steps(main).await {
                    self.note(json!({ "caught": error.message }));
                    self.steps(other).await?;
                }
            }
            Step::Loop(times, body) => {
                for _ in 0..*times {
                    self.steps(body).await?;
                }
            }
            Step::Detach(thing) => drop(self.start(thing)),
        }
        Ok(())
    }

    /// Starts it at once, as a promise does.
    fn start(self: &Arc<Self>, thing: &Thing) -> Boxed<Value> {
        match *thing {
            Thing::Call(tool) => Box::pin(self.call(tool, Value::Null)),
            Thing::Sleep(ms) => {
                let sleep = self.api.sleep(ms);
                Box::pin(async move {
                    sleep.await;
                    Ok(json!("slept"))
                })
            }
            Thing::Chain(first, second) => {
                let call = self.call(first, Value::Null);
                let run = self.clone();
                Box::pin(async move {
                    let value = call.await?;
                    run.call(second, value).await
                })
            }
        }
    }

    fn call(&self, tool: &str, from: Value) -> hub_testkit::guest::Call {
        let id = self.ids.fetch_add(1, Ordering::SeqCst);
        self.api.call(&format!("demo.{tool}"), json!({ "id": id, "tool": tool, "from": from }))
    }

    fn note(&self, value: Value) {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner).push(value);
    }
}
