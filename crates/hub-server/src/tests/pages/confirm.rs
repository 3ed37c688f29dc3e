//! Calls that are confirmed each, single rows of a group, and going on from the page.

use super::{Hub, csrf};
use hub_core::pending::{Choice, Pending};

#[tokio::test]
async fn what_is_confirmed_wants_a_tick_and_stands_alone() {
    let hub = Hub::start().await;
    let confirm: fn(&mut Pending) = |pending| pending.confirm = true;
    let run = hub.waiting("1", "await mail.send({})", &[confirm, confirm]).await;
    let (browser, to) = hub.browser(Some(&run)).await;
    let page = browser.get(&to).send().await;
    assert_eq!(page.body.matches("name=\"sure\"").count(), 2, "{page:?}");
    for text in ["Allow these", "Allow for this run", "Always allow"] {
        assert!(!page.body.contains(text), "{text}");
    }
    let path = format!("{to}/decide");
    let csrf = csrf(&page);
    for rest in ["choice=once", "one=once:pend_10", "choice=once&sure=yes", "choice=run&sure=on"] {
        let body = format!("csrf={csrf}&pendings=pend_10&{rest}");
        assert_eq!(browser.post(&path, &body).send().await.status, 400, "{rest}");
    }
    assert_eq!(hub.engine.waiting(None).await.unwrap().len(), 2);
    let body = format!("csrf={csrf}&pendings=pend_10&choice=once&sure=on");
    assert_eq!(browser.post(&path, &body).send().await.status, 303);
    let body = format!("csrf={csrf}&pendings=pend_11&choice=deny");
    let got = browser.post(&path, &body).send().await;
    assert_eq!(got.header("location"), Some(format!("{to}?said=denied").as_str()));
    assert!(hub.engine.waiting(None).await.unwrap().is_empty());
}

#[tokio::test]
async fn one_row_of_a_group_is_decided_alone() {
    let hub = Hub::start().await;
    let run = hub.waiting("1", "await mail.send({})", &[|_| (), |_| (), |_| ()]).await;
    let (browser, to) = hub.browser(Some(&run)).await;
    let page = browser.get(&to).send().await;
    assert!(page.body.contains("value=\"deny:pend_11\""), "{page:?}");
    let csrf = csrf(&page);
    let path = format!("{to}/decide");
    let body = format!("csrf={csrf}&pendings=pend_10+pend_11+pend_12&one=deny:pend_11");
    assert_eq!(browser.post(&path, &body).send().await.status, 303);
    assert_eq!(hub.engine.waiting(None).await.unwrap().len(), 2);
    let body = format!("csrf={csrf}&pendings=pend_10+pend_12&choice=run");
    assert_eq!(browser.post(&path, &body).send().await.status, 303);
    let detail = hub.engine.run(run.as_str()).await.unwrap();
    let choices = detail.pendings.iter().map(|v| v.pending.decision.clone().unwrap().choice);
    let choices: Vec<_> = choices.collect();
    // One allowance for the run is enough for all that stand together.
    assert_eq!(choices, [Choice::AllowRun, Choice::Deny, Choice::AllowOnce]);
    let page = browser.get(&to).send().await;
    assert!(page.body.contains("Go on now"), "{page:?}");
}

#[tokio::test]
async fn a_pending_of_another_run_is_not_decided() {
    let hub = Hub::start().await;
    let run = hub.waiting("1", "await mail.send({})", &[|_| ()]).await;
    hub.waiting("2", "await mail.send({})", &[|_| ()]).await;
    let (browser, to) = hub.browser(Some(&run)).await;
    let csrf = csrf(&browser.get(&to).send().await);
    for rest in ["pendings=pend_20&choice=once", "one=once:pend_20", "pendings=&choice=once"] {
        let got =
            browser.post(&format!("{to}/decide"), &format!("csrf={csrf}&{rest}")).send().await;
        assert_eq!(got.header("location"), Some(format!("{to}?said=first").as_str()), "{rest}");
    }
    assert_eq!(hub.engine.waiting(None).await.unwrap().len(), 2);
}

#[tokio::test]
async fn what_nobody_decided_in_time_is_too_late() {
    let hub = Hub::start().await;
    let soon: fn(&mut Pending) = |pending| pending.expires_at = pending.created_at.plus(1_000);
    let run = hub.waiting("1", "await mail.send({})", &[soon]).await;
    let (browser, to) = hub.browser(Some(&run)).await;
    let csrf = csrf(&browser.get(&to).send().await);
    hub.clock.advance(60_000);
    let body = format!("csrf={csrf}&pendings=pend_10&choice=once");
    let got = browser.post(&format!("{to}/decide"), &body).send().await;
    assert_eq!(got.header("location"), Some(format!("{to}?said=late").as_str()));
    let page = browser.get(&format!("{to}?said=late")).send().await;
    assert!(page.body.contains("Too late"), "{page:?}");
}
