//! The target `workers` under libFuzzer.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| proving::targets::workers::check(data));
