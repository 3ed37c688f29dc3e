//! Times for people.

use hub_core::time::UnixMillis;

/// `2026-11-30 14:05:09 UTC`.
pub fn utc(at: UnixMillis) -> String {
    let (date, time) = parts(at);
    format!("{date} {time} UTC")
}

/// `2026-11-30T14:05:09Z`, for programs.
pub fn machine(at: UnixMillis) -> String {
    let (date, time) = parts(at);
    format!("{date}T{time}Z")
}

fn parts(at: UnixMillis) -> (String, String) {
    let seconds = at.0.div_euclid(1_000);
    let (days, second) = (seconds.div_euclid(86_400), seconds.rem_euclid(86_400));
    let (year, month, day) = civil(days);
    let (hour, minute, second) = (second / 3_600, second / 60 % 60, second % 60);
    (format!("{year:04}-{month:02}-{day:02}"), format!("{hour:02}:{minute:02}:{second:02}"))
}

/// Days since 1970 as a date of the Gregorian calendar. Years are counted from March, so that
/// the leap day comes last; 400 years have 146,097 days.
fn civil(days: i64) -> (i64, i64, i64) {
    let shifted = days + 719_468;
    let era = shifted.div_euclid(146_097);
    let of_era = shifted.rem_euclid(146_097);
    let year = (of_era - of_era / 1_460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year + year / 4 - year / 100);
    let month = (5 * of_year + 2) / 153;
    let day = of_year - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    (era * 400 + year + i64::from(month <= 2), month, day)
}

/// `3 min`, `2 h 5 min`, `1 d 4 h`.
pub fn span(ms: i64) -> String {
    let seconds = ms.max(0) / 1_000;
    match seconds {
        0..60 => format!("{seconds} s"),
        60..3_600 => format!("{} min", seconds / 60),
        3_600..86_400 => format!("{} h {} min", seconds / 3_600, seconds / 60 % 60),
        _ => format!("{} d {} h", seconds / 86_400, seconds / 3_600 % 24),
    }
}
