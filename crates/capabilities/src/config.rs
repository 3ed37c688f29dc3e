//! Files that a person writes: `hub.toml`, the settings it leaves behind, and other clients'
//! configurations. Reading is pure; what to do about it stands in the commands.

pub mod hub_file;
pub mod import;
pub mod literal;
pub mod plan;
pub mod settings;

#[cfg(test)]
mod tests;
