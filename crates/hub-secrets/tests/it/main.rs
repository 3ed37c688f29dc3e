//! Secrets from outside: what is found, what is refused, what never shows.

mod commands;
mod sealed;

use hub_core::connection::{Secret, SecretRef};
use hub_core::ports::SecretSource;
use hub_secrets::Secrets;
use std::collections::HashMap;
use std::path::Path;

/// Stands for every secret in these tests: no error may contain it.
const VALUE: &str = "s3cret-v4lue";

fn secrets(dir: &Path) -> Secrets {
    let pairs =
        [("TOKEN", VALUE), ("EMPTY", ""), ("LINE", "s3cret-v4lue\n"), ("PATH", "/bin:/usr/bin")];
    let environment: HashMap<String, String> =
        pairs.into_iter().map(|(k, v)| (k.to_owned(), v.to_owned())).collect();
    Secrets::new(dir, environment)
}

/// The value, or the error's text, which holds no value.
async fn resolve(secrets: &Secrets, reference: &str) -> Result<String, String> {
    let reference = SecretRef::parse(reference).expect("a reference");
    match secrets.resolve(&reference).await {
        Ok(value) => Ok(value.expose().to_owned()),
        Err(error) => {
            let text = format!("{error} {error:?}");
            assert!(!text.contains(VALUE), "{text}");
            Err(error.to_string())
        }
    }
}

fn secret() -> Secret {
    Secret::new(VALUE)
}

#[tokio::test]
async fn the_environment_is_the_one_handed_in() {
    let dir = tempfile::tempdir().unwrap();
    let secrets = secrets(dir.path());
    assert_eq!(resolve(&secrets, "env:TOKEN").await.unwrap(), VALUE);
    assert_eq!(resolve(&secrets, "env:LINE").await.unwrap(), VALUE);
    let unset = resolve(&secrets, "env:HOME").await.unwrap_err();
    assert_eq!(unset, "env:HOME: the variable is not set; set it and start the hub again");
    assert!(resolve(&secrets, "env:EMPTY").await.unwrap_err().contains("is empty"));
    assert!(!format!("{secrets:?}").contains(VALUE));
}
