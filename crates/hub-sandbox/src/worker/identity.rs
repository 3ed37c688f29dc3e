//! What a run on this driver is pinned to: everything that changes what a program computes. That
//! is the worker's program, byte for byte, and what it takes from the system: the mathematics of
//! the C library, and the processor, by which the library chooses among its forms of them.

use sha2::{Digest as _, Sha256};
use std::ffi::OsString;
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

/// Everything beside the program's own bytes and the system that a guest could notice.
const SEMANTICS: &str = "stack=4MiB";
/// Bytes of a program that are read at once.
const DIGEST_PART: usize = 256 << 10;
/// Points at which each function is tried.
const POINTS: u32 = 200;

/// The name of this build on this system. A program that cannot be read has another name each
/// time: nothing that began in it may go on in what is perhaps something else.
pub fn engine_id(command: &[OsString]) -> String {
    let program = command.first().map(PathBuf::from).unwrap_or_default();
    let digest = digest(&program).unwrap_or_else(|error| {
        tracing::warn!(%error, "the worker's program cannot be read: runs end with this hub");
        let mut once = [0; 32];
        // Without randomness the address of a value still differs from hub to hub.
        if getrandom::fill(&mut once).is_err() {
            let here = std::ptr::from_ref(&once) as usize ^ std::process::id() as usize;
            once[..8].copy_from_slice(&(here as u64).to_le_bytes());
        }
        once
    });
    let hex: String = digest.iter().map(|byte| format!("{byte:02x}")).collect();
    format!("worker:{hex}")
}

/// The program is large, so it is never in memory as a whole.
fn digest(program: &Path) -> std::io::Result<[u8; 32]> {
    let mut file = File::open(program)?;
    let mut hasher = Sha256::new_with_prefix(SEMANTICS);
    hasher.update(processor());
    hasher.update(mathematics());
    let mut part = vec![0; DIGEST_PART];
    loop {
        match file.read(&mut part)? {
            0 => break,
            count => hasher.update(&part[..count]),
        }
    }
    Ok(hasher.finalize().into())
}

/// The abilities of the processor by which libraries choose how to compute.
#[cfg(target_arch = "x86_64")]
fn processor() -> [u8; 4] {
    [
        std::arch::is_x86_feature_detected!("fma"),
        std::arch::is_x86_feature_detected!("avx2"),
        std::arch::is_x86_feature_detected!("avx512f"),
        std::arch::is_x86_feature_detected!("sse4.1"),
    ]
    .map(u8::from)
}

#[cfg(not(target_arch = "x86_64"))]
fn processor() -> [u8; 4] {
    [0; 4]
}

/// What the functions that the engine takes from the C library answer, at many points.
fn mathematics() -> [u8; 32] {
    const FUNCTIONS: &[fn(f64) -> f64] = &[
        f64::sin,
        f64::cos,
        f64::tan,
        f64::asin,
        f64::acos,
        f64::atan,
        f64::sinh,
        f64::cosh,
        f64::tanh,
        f64::exp,
        f64::exp_m1,
        f64::ln,
        f64::ln_1p,
        f64::log2,
        f64::log10,
        f64::cbrt,
        |x| x.powf(1.0 / 3.0),
        |x| 1.000_1_f64.powf(x),
        |x| x.atan2(3.0),
        |x| x.hypot(1.5),
    ];
    let mut hasher = Sha256::new();
    for function in FUNCTIONS {
        for point in 1..=POINTS {
            // Below one, around it and far beyond, and nothing that a compiler knows.
            let x = std::hint::black_box(f64::from(point));
            for x in [x / 211.0, x * 1.37, x * x * 9_973.25] {
                hasher.update(function(std::hint::black_box(x)).to_bits().to_le_bytes());
            }
        }
    }
    hasher.finalize().into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_program_here_has_one_name() {
        let this = [OsString::from("/proc/self/exe")];
        assert_eq!(engine_id(&this), engine_id(&this));
        assert_ne!(engine_id(&this), engine_id(&["/bin/true".into()]));
        assert_eq!(mathematics(), mathematics());
    }

    #[test]
    fn a_program_that_cannot_be_read_is_never_the_same() {
        for nothing in [vec![], vec![OsString::from("/nowhere/at/all")]] {
            assert_ne!(engine_id(&nothing), engine_id(&nothing));
        }
    }
}
