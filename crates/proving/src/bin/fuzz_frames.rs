//! The target `frames` under libFuzzer.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| proving::targets::frames::check(data));
