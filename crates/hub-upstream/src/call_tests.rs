use super::*;

#[test]
fn arguments_go_as_they_were_digested() {
    let exact = "{\"b\":1.0,\"a\":\"\\u00e9\"}";
    let params = params("t", None).unwrap();
    let joined = with_arguments(&params, arguments(exact).unwrap());
    assert_eq!(joined.get(), format!("{{\"name\":\"t\",\"arguments\":{exact}}}"));
    let error = arguments("{").unwrap_err();
    assert_eq!(error.sent, Sent::No);
}

#[test]
fn a_continuation_carries_state_and_answers() {
    let continuation = Continuation {
        request_state: Some("s\n".to_owned()),
        responses: "{\"k\":{\"action\":\"accept\"}}".to_owned(),
    };
    let params = params("t", Some(&continuation)).unwrap();
    assert_eq!(params["requestState"], json!("s\n"));
    assert_eq!(params["inputResponses"]["k"]["action"], json!("accept"));
    let stateless = Continuation { request_state: None, ..continuation };
    assert!(!super::params("t", Some(&stateless)).unwrap().contains_key("requestState"));
}

#[test]
fn header_values() {
    let of = vec![
        (vec!["a".to_owned()], "A".to_owned()),
        (vec!["o".to_owned(), "b".to_owned()], "B".to_owned()),
        (vec!["none".to_owned()], "N".to_owned()),
        (vec!["null".to_owned()], "U".to_owned()),
    ];
    let arguments = arguments("{\"a\":\"eu\",\"o\":{\"b\":42},\"null\":null}").unwrap();
    let expected = [("Mcp-Param-A", "eu"), ("Mcp-Param-B", "42")];
    let expected = expected.map(|(name, value)| (name.to_owned(), value.to_owned()));
    assert_eq!(param_header_values(&of, arguments), expected);
    assert_eq!(header_text("plain value"), "plain value");
    assert_eq!(header_text("é"), "=?base64?w6k=?=");
    assert_eq!(header_text(" x"), "=?base64?IHg=?=");
    assert_eq!(header_text("a\nb"), "=?base64?YQpi?=");
    assert_eq!(header_text("=?base64?x?="), "=?base64?PT9iYXNlNjQ/eD89?=");
}
