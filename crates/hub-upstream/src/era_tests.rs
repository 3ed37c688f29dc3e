use super::*;
use crate::fault::Refusal;

fn refused(status: u16, text: &str) -> Fault {
    Fault::Http(Refusal { status, text: text.to_owned(), wait_ms: None })
}

fn error(message: &str, data: Option<Value>) -> Fault {
    Fault::Rpc(RpcError { code: -32602, message: message.to_owned(), data })
}

#[test]
fn the_ladder_goes_where_the_refusal_points() {
    let newest = [LEGACY[0]];
    let listed = "Unsupported protocol version (supported: 2025-03-26, 2024-11-05)";
    assert_eq!(older(&refused(400, listed), &newest), Some("2025-03-26"));
    assert_eq!(older(&refused(400, "Bad Request"), &newest), Some("2025-06-18"));
    assert_eq!(older(&refused(404, listed), &newest), None);
    let data = json!({"supported": ["2024-11-05"], "requested": "2025-11-25"});
    assert_eq!(older(&error("no", Some(data)), &newest), Some("2024-11-05"));
    assert_eq!(older(&error("Unsupported version", None), &newest), Some("2025-06-18"));
    assert_eq!(older(&error("Invalid params", None), &newest), None);
    assert_eq!(older(&refused(400, ""), &LEGACY), None);
}

#[test]
fn older_revisions_are_told_less() {
    assert_eq!(capabilities("2025-11-25", true), json!({"elicitation": {"form": {}, "url": {}}}));
    assert_eq!(capabilities("2025-06-18", true), json!({"elicitation": {}}));
    assert_eq!(capabilities("2025-03-26", true), json!({}));
    assert_eq!(capabilities("2025-11-25", false), json!({}));
}
