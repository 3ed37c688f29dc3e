//! What every command gets: the environment, the hub's folder, and where to print.

use crate::cli::Global;
use crate::environment::Environment;
use crate::error::CliError;
use crate::folder::Folder;
use crate::output::Out;

/// What every command gets.
#[derive(Clone, Debug)]
pub struct Context {
    /// The environment, as read at the start.
    pub environment: Environment,
    /// The hub's folder.
    pub folder: Folder,
    /// Where to print.
    pub out: Out,
}

impl Context {
    /// From the flags that every command takes.
    pub fn new(global: &Global) -> Result<Self, CliError> {
        let environment = Environment::read();
        let folder = Folder::choose(global.home.as_deref(), &environment)?;
        let out = Out::new(global.json, environment.no_color);
        Ok(Self { environment, folder, out })
    }
}
