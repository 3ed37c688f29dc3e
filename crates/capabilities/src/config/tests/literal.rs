use crate::config::literal::*;

#[test]
fn a_literal_secret_is_refused_with_the_right_way_and_never_repeated() {
    let secret = "ghp_0123456789abcdefghijABCDEFGHIJ012345";
    let arguments = |text: &str| text.split(' ').map(str::to_owned).collect::<Vec<_>>();
    let refusals = [
        reference(secret).unwrap_err(),
        refuse_value("PLAIN", secret).unwrap_err(),
        refuse_value("API_KEY", "short").unwrap_err(),
        refuse_in_arguments(&arguments(&format!("serve --auth {secret}"))).unwrap_err(),
        refuse_in_arguments(&arguments("serve --api-key=hunter22")).unwrap_err(),
        refuse_in_arguments(&arguments("serve --token hunter22")).unwrap_err(),
        refuse_in_url(&format!("https://h/mcp?x={secret}")).unwrap_err(),
        refuse_in_url("https://me:hunter22@h/mcp").unwrap_err(),
        refuse_in_url("https://h/mcp?api_key=hunter22").unwrap_err(),
    ];
    for refusal in refusals {
        let told = format!("{refusal:?}");
        assert!(!told.contains("ghp_") && !told.contains("hunter22"), "{told}");
        assert!(refusal.hints.iter().any(|h| h.contains("secret set")), "{told}");
    }
}

#[test]
fn what_is_no_secret_passes() {
    refuse_value("LOG_LEVEL", "debug").unwrap();
    refuse_value("MONKEY", "banana").unwrap();
    refuse_in_url("https://example.com/mcp?team=blue").unwrap();
    let line = ["-y", "some-server", "--token-file", "--port=8080", "dir"].map(str::to_owned);
    refuse_in_arguments(&line).unwrap();
    for text in ["env:TOKEN", "file:github", "command:pass show github"] {
        assert_eq!(reference(text).unwrap().to_string(), text);
    }
}
