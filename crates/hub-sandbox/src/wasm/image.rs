//! The committed guest image and what pins a run to it.

use hub_core::digest::Digest;

/// QuickJS with the prelude loaded, as `cargo xtask guest` made it.
pub const IMAGE: &[u8] = include_bytes!("../../guest.wasm");

/// Bytes of WebAssembly stack. Deep recursion ends here, where no program can catch it.
pub const WASM_STACK: usize = 4 << 20;
/// Linear memory beyond the heap's limit: the guest's own data and what its allocator wastes.
pub const MEMORY_SLACK: usize = 64 << 20;
/// Everything beside the image that a program could notice.
const SEMANTICS: &str = "nan=canonical wasm-stack=4MiB slack=64MiB";

/// Driver, image and settings: equal ids replay each other's runs.
pub fn engine_id(image: &[u8]) -> String {
    // The image by its own digest: the store finds what a run is pinned to by it.
    let semantics = Digest::of(SEMANTICS.as_bytes()).to_string();
    format!("wasm:{}/{}", Digest::of(image), &semantics[..8])
}
