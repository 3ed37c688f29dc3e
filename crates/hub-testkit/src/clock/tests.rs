use super::*;
use std::sync::mpsc;

#[tokio::test]
async fn sleepers_wake_in_the_order_of_their_deadlines() {
    let clock = FakeClock::default();
    let (send, woken) = mpsc::sync_channel(8);
    let mut tasks = Vec::new();
    for (name, ms) in [("c", 30), ("a", 10), ("b", 20), ("b2", 20)] {
        let (send, sleep) = (send.clone(), clock.sleep(ms));
        tasks.push(tokio::spawn(async move {
            sleep.await;
            send.send(name).unwrap();
        }));
    }
    tokio::task::yield_now().await;
    clock.advance(30);
    for task in tasks {
        task.await.unwrap();
    }
    assert_eq!(woken.try_iter().collect::<Vec<_>>(), ["a", "b", "b2", "c"]);
}

#[tokio::test]
async fn time_stands_still_until_it_is_moved() {
    let clock = FakeClock::at(UnixMillis(5));
    assert_eq!((clock.now(), clock.monotonic_ms()), (UnixMillis(5), 0));
    let sleep = clock.sleep(7);
    assert_eq!((clock.sleepers(), clock.next_in()), (1, Some(7)));
    assert!(clock.advance_to_next());
    sleep.await;
    assert_eq!((clock.now(), clock.sleepers()), (UnixMillis(12), 0));
    assert!(!clock.advance_to_next());
}

#[tokio::test]
async fn a_dropped_sleep_is_forgotten_and_a_watcher_sees_sleepers() {
    let clock = FakeClock::default();
    drop(clock.sleep(9));
    assert_eq!(clock.sleepers(), 0);
    let watch = tokio::spawn({
        let clock = clock.clone();
        async move { clock.until_sleeping(1).await }
    });
    tokio::task::yield_now().await;
    let sleep = clock.sleep(1);
    watch.await.unwrap();
    clock.advance(1);
    sleep.await;
}
