//! Where credentials lie: the environment handed in, an encrypted file, a command.
//!
//! Values leave this crate only as [`Secret`]; no error, log or `Debug` holds one. Another place
//! for the file's key (an OS keychain) is another [`KeyPlace`]; another kind of reference is
//! a variant of `SecretRef` in the core and a module here.

mod command;
mod env;
mod file;
mod key;

pub use file::{SecretFile, VALUE_BYTES};
pub use key::{KeyFile, KeyPlace};

use hub_core::connection::{Secret, SecretRef};
use hub_core::ports::{BoxFuture, SecretError, SecretKeeper, SecretSource};
use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

/// How long a command may take to print a secret.
pub const COMMAND_TIME: Duration = Duration::from_secs(30);

/// Finds secrets behind references of every kind, and keeps those of the file.
pub struct Secrets {
    environment: Arc<HashMap<String, String>>,
    file: Arc<SecretFile>,
    command_time: Duration,
}

impl Secrets {
    /// Secrets of the hub whose data folder is `dir`. `environment` is that of the binary:
    /// `env:` is looked up in it, and commands get it.
    pub fn new(dir: &Path, environment: HashMap<String, String>) -> Self {
        let key = KeyFile::new(dir.join("secrets.key"));
        let file = SecretFile::new(dir.join("secrets.sealed"), Box::new(key));
        Self {
            environment: Arc::new(environment),
            file: Arc::new(file),
            command_time: COMMAND_TIME,
        }
    }

    /// The same with less time for commands.
    pub fn command_time(mut self, at_most: Duration) -> Self {
        self.command_time = at_most.min(COMMAND_TIME);
        self
    }

    /// Runs `work` on the file where it may block.
    async fn with_file<T: Send + 'static>(
        &self,
        reference: String,
        work: impl FnOnce(&SecretFile) -> Result<T, String> + Send + 'static,
    ) -> Result<T, SecretError> {
        let file = self.file.clone();
        let done = tokio::task::spawn_blocking(move || work(&file)).await;
        let done = done.unwrap_or_else(|_| Err("reading the secrets file was broken off".into()));
        done.map_err(|reason| SecretError { reference, reason })
    }
}

impl std::fmt::Debug for Secrets {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Secrets")
    }
}

impl SecretSource for Secrets {
    fn resolve<'a>(&'a self, at: &'a SecretRef) -> BoxFuture<'a, Result<Secret, SecretError>> {
        Box::pin(async move {
            let reference = at.to_string();
            match at {
                SecretRef::Env(name) => env::find(&self.environment, name)
                    .map_err(|reason| SecretError { reference, reason }),
                SecretRef::Command(line) => {
                    let found = command::run(line, &self.environment, self.command_time).await;
                    // The line may carry a secret itself: only its first word is shown.
                    let word = line.split_whitespace().next().unwrap_or_default();
                    let reference = format!("command:{word}");
                    found.map_err(|reason| SecretError { reference, reason })
                }
                SecretRef::File(name) => {
                    let name = name.clone();
                    self.with_file(reference, move |file| {
                        file.get(&name)?.ok_or_else(|| {
                            "there is no such secret; add it with connection add".to_owned()
                        })
                    })
                    .await
                }
            }
        })
    }
}

impl SecretKeeper for Secrets {
    fn put<'a>(
        &'a self,
        name: &'a str,
        value: Secret,
    ) -> BoxFuture<'a, Result<SecretRef, SecretError>> {
        Box::pin(async move {
            let owned = name.to_owned();
            let reference = SecretRef::File(name.to_owned());
            self.with_file(reference.to_string(), move |file| file.put(&owned, &value)).await?;
            Ok(reference)
        })
    }

    fn remove<'a>(&'a self, name: &'a str) -> BoxFuture<'a, Result<bool, SecretError>> {
        let owned = name.to_owned();
        let reference = SecretRef::File(owned.clone()).to_string();
        Box::pin(self.with_file(reference, move |file| file.remove(&owned)))
    }

    fn names(&self) -> BoxFuture<'_, Result<Vec<String>, SecretError>> {
        Box::pin(self.with_file("file:".to_owned(), SecretFile::names))
    }
}
