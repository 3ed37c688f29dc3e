use super::*;
use hub_testkit::FakeClock;

/// Never answers; counts how often it was asked.
#[derive(Default)]
struct Silent(std::sync::atomic::AtomicUsize);

impl AskPerson for Silent {
    fn ask<'a>(&'a self, _: &'a str) -> hub_core::ports::BoxFuture<'a, String> {
        self.0.fetch_add(1, Ordering::SeqCst);
        Box::pin(std::future::pending())
    }
}

fn desk(clock: &FakeClock) -> Arc<Desk> {
    let clock: Arc<dyn Clock> = Arc::new(clock.clone());
    let changes = Changes::new(SourceId::new("src_x"), None, clock.clone());
    Arc::new(Desk::new(Arc::new(changes), clock, true))
}

fn call(asks: &Arc<Silent>) -> CallDesk {
    CallDesk::new(None, Some(asks.clone()), 0)
}

async fn asked(desk: &Desk, during: Option<i64>) -> Value {
    let answer = desk.asked(&json!(1), "elicitation/create", None, during).await;
    serde_json::from_str::<Value>(&answer).unwrap()["result"].clone()
}

#[tokio::test]
async fn a_question_stops_the_clock_of_its_call_until_its_own_limit() {
    let (clock, silent) = (FakeClock::default(), Arc::new(Silent::default()));
    let desk = desk(&clock);
    let on_desk = desk.begin(5, call(&silent));
    assert_eq!(on_desk.call.left(400, 1_000), 600);
    let asking = tokio::spawn({
        let desk = desk.clone();
        async move { asked(&desk, None).await }
    });
    clock.until_sleeping(1).await;
    clock.advance(limits::LIVE_QUESTION_MS - 1);
    tokio::task::yield_now().await;
    assert!(!asking.is_finished());
    assert_eq!(on_desk.call.left(clock.monotonic_ms(), 1_000), 1_000);
    clock.advance(1);
    assert_eq!(asking.await.unwrap(), json!({"action": "decline"}));
    let now = clock.monotonic_ms();
    assert_eq!(on_desk.call.left(now + 400, 1_000), 600);
}

#[test]
fn a_flood_of_requests_is_not_answered() {
    let desk = desk(&FakeClock::default());
    let mut taken: Vec<_> = (0..limits::SOURCE_QUESTIONS).map(|_| desk.room().unwrap()).collect();
    assert!(desk.room().is_none());
    taken.pop();
    assert!(desk.room().is_some());
}

#[tokio::test]
async fn a_question_ends_with_its_call() {
    let (clock, silent) = (FakeClock::default(), Arc::new(Silent::default()));
    let desk = desk(&clock);
    let on_desk = desk.begin(5, call(&silent));
    let asking = tokio::spawn({
        let desk = desk.clone();
        async move { asked(&desk, Some(5)).await }
    });
    clock.until_sleeping(1).await;
    drop(on_desk);
    assert_eq!(asking.await.unwrap(), json!({"action": "cancel"}));
}

#[tokio::test]
async fn nobody_answers_for_a_call_that_may_be_another() {
    let (clock, silent) = (FakeClock::default(), Arc::new(Silent::default()));
    let desk = desk(&clock);
    let decline = json!({"action": "decline"});
    assert_eq!(asked(&desk, None).await, decline);
    let _one = desk.begin(5, call(&silent));
    let _two = desk.begin(6, call(&silent));
    assert_eq!(asked(&desk, None).await, decline);
    assert_eq!(asked(&desk, Some(7)).await, decline);
    assert_eq!(silent.0.load(Ordering::SeqCst), 0);
}
