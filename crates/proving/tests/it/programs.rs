//! Generated programs give the same bytes on every driver, every time.

use crate::support::{Ended, Play, drivers};
use hub_core::ports::{GuestLimits, Prepare};
use proving::targets::read::Tools;

/// Programs tried here; `cargo xtask differential` tries more, and compares with Node.
const PROGRAMS: u64 = 60;

#[test]
fn the_same_program_gives_the_same_bytes_everywhere() {
    let limits = GuestLimits { log_bytes: 4 << 20, ..GuestLimits::default() };
    let mut returned = 0;
    for number in 0..PROGRAMS {
        let code = proving::programs::program(77, number);
        // A few are nested beyond the reader's limit.
        let Ok(read) = hub_guest::Reader::new().prepare(&code, &Tools) else { continue };
        let mut first: Option<Ended> = None;
        for (name, driver) in drivers() {
            let play = Play { driver, limits, seed: [9; 32], ..Play::default() };
            for _ in 0..2 {
                let ended = play.run(&read.program);
                assert_eq!(ended.fault, None, "{name}: {code}");
                match &first {
                    Some(first) => assert_eq!(*first, ended, "{name}: {code}"),
                    None => first = Some(ended),
                }
            }
        }
        returned += u64::from(first.unwrap().finish.is_some());
    }
    assert!(returned > PROGRAMS / 2, "only {returned} returned");
}
