use super::*;
use hub_core::id::RunId;

fn envelope() -> ExecuteEnvelope {
    serde_json::from_value(serde_json::json!({
        "runId": RunId::new("run_x"), "status": "completed", "calls": []
    }))
    .unwrap()
}

#[test]
fn notices_end_at_their_number_and_each_at_its_length() {
    let mut envelope = envelope();
    let whole = "é".repeat(limits::NOTICE_CHARS);
    let long = format!("{whole}é");
    let many = (0..limits::NOTICES).map(|n| format!("notice {n}"));
    add_notices(&mut envelope, vec![whole.clone(), long, whole.clone()]);
    let cut = format!("{}…", "é".repeat(limits::NOTICE_CHARS - 1));
    assert_eq!(envelope.notices, Some(vec![whole, cut]));
    add_notices(&mut envelope, many.collect());
    let all = envelope.notices.unwrap();
    assert_eq!(all.len(), limits::NOTICES);
    assert_eq!(all.last().unwrap(), &format!("notice {}", limits::NOTICES - 3));
}

#[test]
fn no_notice_is_no_list() {
    let mut envelope = envelope();
    add_notices(&mut envelope, Vec::new());
    assert_eq!(envelope.notices, None);
}
