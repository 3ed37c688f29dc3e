//! Replaying a run for a person who debugs it: nothing is sent, nothing is written.

use crate::api::EngineError;
use crate::engine::Engine;
use hub_core::journal;
use hub_core::machine::{Action, Machine, Moment};
use hub_core::ports::{GuestLimits, GuestSpec, Prepared};
use hub_core::run::RunRecord;

impl Engine {
    /// Repeats what the journal holds and says where the program stands then.
    pub(crate) async fn replay(&self, record: &RunRecord) -> Result<String, EngineError> {
        let store = &*self.inner.deps.store;
        let Some(pins) = &record.pins else {
            return Err(EngineError::Conflict("the run never began".into()));
        };
        let read = |why: String| EngineError::Conflict(format!("cannot be replayed: {why}"));
        let prepared: Prepared = super::resume::blob(store, pins.program).await.map_err(read)?;
        let names: Vec<hub_core::ports::GuestNamespace> =
            super::resume::blob(store, pins.names).await.map_err(read)?;
        let lines = store.journal(record.id.clone()).await?;
        let events = journal::read(lines.iter().map(Vec::as_slice))
            .map_err(|e| EngineError::Conflict(e.to_string()))?;
        let entries = events.len();
        let mut machine = Machine::begin(Default::default(), pins.clock_start, events, Vec::new());
        let spec = GuestSpec {
            program: prepared.program.into(),
            namespaces: names.into(),
            seed: pins.seed,
            clock_start: pins.clock_start,
            limits: GuestLimits::default(),
        };
        let driver = self.sandbox(&pins.engine).await;
        let driver = driver.map_err(|e| EngineError::Conflict(e.to_string()))?;
        let fault = |e: hub_core::ports::GuestFault| EngineError::Conflict(e.to_string());
        let (mut guest, turn) = driver.start(spec).await.map_err(fault)?;
        let moment = Moment { now: self.now(), active: 0, attended: false };
        machine.turn(&turn, moment);
        let (mut delivered, mut text) = (0, String::new());
        while machine.is_replaying() {
            match machine.next(moment) {
                Action::Deliver(delivery) => {
                    delivered += 1;
                    let turn = guest.deliver(delivery).await.map_err(fault)?;
                    for line in &turn.logs {
                        text.push_str(&format!("[{}] {}\n", line.level, line.text));
                    }
                    machine.turn(&turn, moment);
                }
                Action::Diverged(why) => return Ok(format!("{text}diverges: {why}\n")),
                _ => break,
            }
        }
        let (made, done) = machine.counts();
        let state = match machine.main() {
            Some(_) => "the program has settled".to_owned(),
            None => format!("{} of {made} calls are answered", done.min(made)),
        };
        Ok(format!("{text}{entries} entries, {delivered} deliveries repeated; {state}\n"))
    }
}
