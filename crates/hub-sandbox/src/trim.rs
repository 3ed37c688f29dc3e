//! Gives memory back to the system that the allocator keeps for later.
#![cfg_attr(
    all(target_os = "linux", target_env = "gnu"),
    expect(unsafe_code, reason = "the allocator's own call for it has no safe form")
)]

/// After work that took much memory once, such as compiling the image: what is free now would
/// otherwise stay with the process for good.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
pub fn trim() {
    // SAFETY: takes the allocator's own locks and changes nothing that is in use.
    unsafe { libc::malloc_trim(0) };
}

/// Other allocators give memory back by themselves.
#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
pub fn trim() {}
