use super::*;

fn said(code: i64, message: &str) -> UpstreamError {
    let error = RpcError { code, message: message.to_owned(), data: None };
    Fault::Rpc(error).into_error(Some("get_x"))
}

#[test]
fn a_tool_is_gone_only_where_the_server_says_so() {
    for message in [
        "Unknown tool: get_x",
        "Unknown tool 'get_x'",
        "Tool get_x not found",
        "MCP error -32602: Tool \"get_x\" not found",
        "tool not found: get_x",
        "No such tool: get_x",
        "The tool `get_x` does not exist in this server",
    ] {
        assert_eq!(said(-32602, message).kind, Kind::ToolGone, "{message}");
    }
    for (code, message) in [
        (-32602, "Unknown tool: get_xy"),
        (-32602, "Invalid arguments for tool get_x: path not found"),
        (-32601, "Method not found"),
        (-32603, "Unknown tool: get_x"),
        (-32602, "Resource get_x not found"),
    ] {
        let error = said(code, message);
        assert_eq!((error.kind, error.sent), (Kind::Failed, Sent::Refused), "{message}");
        assert_eq!((error.message.as_str(), error.status), (message, Some(code)));
    }
}

#[test]
fn every_http_status_has_one_meaning() {
    let of = |status, wait_ms| {
        let refusal = Refusal { status, text: "words".to_owned(), wait_ms };
        let error = Fault::Http(refusal).into_error(None);
        assert!(error.message.contains(&status.to_string()) && error.message.ends_with("words"));
        assert_eq!(error.status, Some(i64::from(status)));
        (error.kind, error.sent)
    };
    assert_eq!(of(401, None), (Kind::Unauthorized, Sent::Refused));
    assert_eq!(of(403, None), (Kind::Forbidden, Sent::Refused));
    assert_eq!(of(429, Some(2_000)), (Kind::RateLimited(Some(2_000)), Sent::Refused));
    assert_eq!(of(429, None), (Kind::RateLimited(None), Sent::Refused));
    assert_eq!(of(503, Some(1)), (Kind::RateLimited(Some(1)), Sent::Refused));
    assert_eq!(of(302, None), (Kind::BadResponse, Sent::Refused));
    for status in [400, 404, 405, 406, 413, 415, 422] {
        assert_eq!(of(status, None), (Kind::Failed, Sent::Refused), "{status}");
    }
    for status in [500, 502, 503, 504, 520] {
        assert_eq!(of(status, None), (Kind::Unavailable, Sent::Maybe), "{status}");
    }
}

#[test]
fn long_words_are_cut_between_characters() {
    assert_eq!(cut("äöü", 3), "äöü");
    assert_eq!(cut("äöü", 2), "äö…");
}
