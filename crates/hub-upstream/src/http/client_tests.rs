use super::*;

#[test]
fn waiting_times_are_seconds_or_dates() {
    let now = 784_111_777; // Sun, 06 Nov 1994 08:49:37 GMT
    assert_eq!(http_date("Sun, 06 Nov 1994 08:49:37 GMT"), Some(now));
    assert_eq!(http_date("Thu, 29 Feb 2024 00:00:00 GMT"), Some(1_709_164_800));
    assert_eq!(retry_after("2", now), Some(2_000));
    assert_eq!(retry_after(" Sun, 06 Nov 1994 08:49:40 GMT", now), Some(3_000));
    assert_eq!(retry_after("Sun, 06 Nov 1994 08:49:30 GMT", now), Some(0));
    assert_eq!(retry_after("99999999999999", now), Some(LONGEST_WAIT_MS));
    for odd in ["", "soon", "-1", "Sun, 99 Nov 1994 08:49:37 GMT", "Sun, 06 Nov 1994"] {
        assert_eq!(retry_after(odd, now), None, "{odd}");
    }
}

#[test]
fn of_a_page_the_words_are_shown() {
    let page = "<html><head><title>502</title></head><body><h1>Bad  Gateway</h1></body></html>";
    assert_eq!(plain(page), "502 Bad Gateway");
    assert_eq!(plain(" {\"error\":1} "), "{\"error\":1}");
    assert_eq!(plain("<never closed"), "");
}
