//! `env:NAME`: the environment of the binary, handed in.

use hub_core::connection::Secret;
use std::collections::HashMap;

pub(crate) fn find(environment: &HashMap<String, String>, name: &str) -> Result<Secret, String> {
    match environment.get(name).map(|value| value.trim_end_matches(['\r', '\n'])) {
        None => Err("the variable is not set; set it and start the hub again".to_owned()),
        Some("") => Err("the variable is empty; set it and start the hub again".to_owned()),
        Some(value) => Ok(Secret::new(value)),
    }
}
