use super::*;
use hub_testkit::FakeClock;

const SECRET: &str = "tok_0123456789abcdef";

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
    let scrub = Scrub::new(vec![hub_core::connection::Secret::new(SECRET)]);
    Arc::new(Desk::new(Arc::new(changes), clock, true, scrub))
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

#[test]
fn a_source_that_reports_change_after_change_is_believed_less_and_less_often() {
    let (least, most) = (limits::LIST_CHANGED_MS, limits::LIST_CHANGED_MOST_MS);
    let mut pace = Pace::default();
    let mut now = 0;
    let mut waits = Vec::new();
    for _ in 0..12 {
        let wait = pace.next(now);
        waits.push(wait);
        // It reports again as soon as its list was read.
        now += wait + 1;
    }
    assert_eq!(waits[..3], [least, 2 * least, 4 * least]);
    assert_eq!((waits[8], waits[11]), (most, most));
    // A quiet time, and it is heard at once again.
    assert_eq!(pace.next(now + 2 * most), least);
}

#[tokio::test]
async fn progress_only_grows() {
    let clock = FakeClock::default();
    let desk = desk(&clock);
    let told = Arc::new(Mutex::new(Vec::new()));
    let heard = told.clone();
    let progress: ProgressFn = Arc::new(move |told| lock(&heard).push((told.done, told.of)));
    let _on_desk = desk.begin(5, CallDesk::new(Some(progress), None, 0));
    for (token, done) in [
        (json!(5), json!(1)),
        (json!("5"), json!(2.5)),
        (json!(5), json!(2.5)),
        (json!(5), json!(1)),
        (json!(6), json!(9)),
        (json!(5), json!("9")),
        (json!(5), json!(3)),
    ] {
        let params = raw(&json!({"progressToken": token, "progress": done}));
        desk.told("notifications/progress", Some(&params), None);
    }
    assert_eq!(*lock(&told), [(1.0, None), (2.5, None), (3.0, None)]);
}

/// Accepts, and keeps what it was shown.
#[derive(Default)]
struct Shown(Mutex<String>);

impl AskPerson for Shown {
    fn ask<'a>(&'a self, params: &'a str) -> hub_core::ports::BoxFuture<'a, String> {
        params.clone_into(&mut lock(&self.0));
        Box::pin(std::future::ready(json!({ "action": "accept", "content": {} }).to_string()))
    }
}

#[tokio::test]
async fn a_question_that_repeats_a_credential_is_shown_without_it() {
    let (desk, shown) = (desk(&FakeClock::default()), Arc::new(Shown::default()));
    let _on_desk = desk.begin(5, CallDesk::new(None, Some(shown.clone()), 0));
    let params = json!({
        "message": format!("Still {SECRET}?"),
        "requestedSchema": { "properties": { "x": { "default": SECRET } } },
    });
    let params = raw(&params);
    let answer = desk.asked(&json!(1), "elicitation/create", Some(&params), None).await;
    assert!(answer.contains("accept"), "{answer}");
    let shown = lock(&shown.0);
    assert!(shown.contains("Still [secret]?") && !shown.contains(SECRET), "{shown}");
}
