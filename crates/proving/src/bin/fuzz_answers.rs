//! The target `answers` under libFuzzer.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| proving::targets::answers::check(data));
