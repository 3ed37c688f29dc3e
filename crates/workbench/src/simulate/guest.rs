//! One run of a random program. What loses a race goes on in the background, as a promise does.

use super::program::{Step, Thing};
use futures_util::future::{join_all, select_all, select_ok, try_join_all};
use hub_core::ports::GuestError;
use hub_testkit::Api;
use serde_json::{Value, json};
use std::future::{Future, poll_fn};
use std::pin::Pin;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll};

type Returned = Result<Value, GuestError>;
type Boxed<T> = Pin<Box<dyn Future<Output = T> + Send>>;

/// One run of a program. Identifiers of calls are given in the order the calls start.
pub struct Run {
    api: Api,
    ids: AtomicU32,
    seen: Mutex<Vec<Value>>,
    /// Everything started, polled in the order it was started.
    background: Mutex<Vec<Boxed<()>>>,
}

/// What was started: settles with what it came to.
struct Started(Arc<Mutex<Option<Returned>>>);

impl Future for Started {
    type Output = Returned;
    fn poll(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Returned> {
        // The guest polls its whole program after every delivery: nobody is to be woken.
        lock(&self.0).clone().map_or(Poll::Pending, Poll::Ready)
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Run {
    /// A run that has done nothing.
    pub fn new(api: Api) -> Arc<Self> {
        Arc::new(Self {
            api,
            ids: AtomicU32::new(0),
            seen: Mutex::default(),
            background: Mutex::default(),
        })
    }

    /// Runs the program: first what goes on in the background, then the program itself.
    pub async fn main(self: Arc<Self>, steps: Arc<Vec<Step>>) -> Returned {
        let mut main = self.clone().steps(steps.to_vec());
        poll_fn(|cx| {
            self.poll_background(cx);
            main.as_mut().poll(cx)
        })
        .await?;
        Ok(Value::Array(lock(&self.seen).clone()))
    }

    fn poll_background(&self, cx: &mut Context<'_>) {
        let mut going = std::mem::take(&mut *lock(&self.background));
        going.retain_mut(|task| task.as_mut().poll(cx).is_pending());
        let mut background = lock(&self.background);
        let started = std::mem::replace(&mut *background, going);
        background.extend(started);
    }

    fn steps(self: Arc<Self>, steps: Vec<Step>) -> Boxed<Result<(), GuestError>> {
        Box::pin(async move {
            for step in steps {
                self.step(step).await?;
            }
            Ok(())
        })
    }

    async fn step(self: &Arc<Self>, step: Step) -> Result<(), GuestError> {
        match step {
            Step::Await(thing) => self.note(self.start(&thing).await?),
            Step::All(things) => self.note(Value::Array(try_join_all(self.all(&things)).await?)),
            Step::Settled(things) => {
                for settled in join_all(self.all(&things)).await {
                    self.note(settled.unwrap_or_else(failed));
                }
            }
            Step::Race(things) => self.note(select_all(self.all(&things)).await.0?),
            Step::Any(things) => self.note(select_ok(self.all(&things)).await?.0),
            Step::Timeout(thing, ms) => {
                let both = vec![self.start(&thing), self.start(&Thing::Sleep(ms))];
                self.note(select_all(both).await.0?);
            }
            Step::Retry(times, tool) => self.retry(times, tool).await?,
            Step::Try(main, other) => {
                if let Err(error) = self.clone().steps(main).await {
                    self.note(json!({ "caught": error.message }));
                    self.clone().steps(other).await?;
                }
            }
            Step::Loop(times, body) => {
                for _ in 0..times {
                    self.clone().steps(body.clone()).await?;
                }
            }
            Step::If(tool, yes, no) => {
                let value = self.start(&Thing::Call(tool)).await?;
                let branch = if value.get("yes") == Some(&json!(true)) { yes } else { no };
                self.clone().steps(branch).await?;
            }
            Step::Branches(all) => {
                let all = all.into_iter().map(|steps| self.clone().steps(steps));
                try_join_all(all).await?;
            }
            Step::Detach(thing) => drop(self.start(&thing)),
            Step::Date => self.note(json!({ "date": self.api.now() })),
            Step::Search => {
                let found = self.api.search("write").await;
                self.note(found.unwrap_or_else(failed));
            }
            Step::Log => self.api.log("here"),
        }
        Ok(())
    }

    async fn retry(self: &Arc<Self>, times: u32, tool: &'static str) -> Result<(), GuestError> {
        for attempt in 1..=times {
            match self.start(&Thing::Call(tool)).await {
                Ok(value) => {
                    self.note(value);
                    return Ok(());
                }
                Err(error) if attempt == times => return Err(error),
                Err(_) => drop(self.start(&Thing::Sleep(20 * attempt)).await),
            }
        }
        Ok(())
    }

    fn all(self: &Arc<Self>, things: &[Thing]) -> Vec<Started> {
        things.iter().map(|thing| self.start(thing)).collect()
    }

    /// Starts it at once, as a promise does.
    fn start(self: &Arc<Self>, thing: &Thing) -> Started {
        let task: Boxed<Returned> = match *thing {
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
            Thing::Later(ms, tool) => {
                let sleep = self.api.sleep(ms);
                let run = self.clone();
                Box::pin(async move {
                    sleep.await;
                    run.call(tool, Value::Null).await
                })
            }
        };
        let settled = Arc::new(Mutex::new(None));
        let place = settled.clone();
        lock(&self.background).push(Box::pin(async move {
            let returned = task.await;
            *lock(&place) = Some(returned);
        }));
        Started(settled)
    }

    fn call(&self, tool: &str, from: Value) -> hub_testkit::guest::Call {
        let id = self.ids.fetch_add(1, Ordering::SeqCst);
        self.api.call(&format!("demo.{tool}"), json!({ "id": id, "tool": tool, "from": from }))
    }

    fn note(&self, value: Value) {
        lock(&self.seen).push(value);
    }
}

fn failed(error: GuestError) -> Value {
    json!({ "failed": error.message })
}
