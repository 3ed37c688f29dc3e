//! The bytes a guest is started with; the guest's side is `start.rs` of `hub-guest-vm`.

use hub_core::ports::{GuestFault, GuestNamespace, GuestSpec};

/// Seed, clock, limits, names of the namespaces, program.
pub fn buffer(spec: &GuestSpec) -> Result<Vec<u8>, GuestFault> {
    let names: Vec<&str> = spec.namespaces.iter().map(|space| space.name.as_str()).collect();
    let names = serde_json::to_vec(&names).map_err(|e| GuestFault::Broken(e.to_string()))?;
    let mut buffer = Vec::with_capacity(64 + names.len() + spec.program.len());
    buffer.extend_from_slice(&spec.seed);
    buffer.extend_from_slice(&(spec.clock_start.0 as f64).to_le_bytes());
    let limits = &spec.limits;
    for number in [
        limits.heap_bytes,
        limits.log_bytes,
        limits.argument_bytes,
        limits.result_bytes,
        names.len(),
    ] {
        buffer.extend_from_slice(&u32::try_from(number).unwrap_or(u32::MAX).to_le_bytes());
    }
    buffer.extend_from_slice(&names);
    buffer.extend_from_slice(spec.program.as_bytes());
    Ok(buffer)
}

/// Names of the tools of a namespace, as JSON: `[[name, raw], …]`.
pub fn tools(namespace: &GuestNamespace) -> Vec<u8> {
    let pairs: Vec<[&str; 2]> =
        namespace.tools.iter().map(|tool| [tool.name.as_str(), &tool.raw]).collect();
    serde_json::to_vec(&pairs).unwrap_or_else(|_| b"[]".to_vec())
}
