//! The program, with the places marked that may have made the calls that wait.

use crate::web::html::Html;
use crate::web::run::waits::Group;
use hub_core::ports::Place;
use hub_engine::RunDetail;
use std::collections::BTreeMap;

/// What is known of a place.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Mark {
    /// One of several that may have made a call.
    Perhaps,
    /// The only one that may.
    Here,
}

/// The code as sent.
pub fn show(main: &mut Html, detail: &RunDetail, groups: &[Group<'_>]) {
    let marks = marks(groups);
    main.raw("<section><h2>The program</h2>");
    if marks.values().any(|mark| *mark == Mark::Perhaps) {
        main.raw("<p class=\"quiet\">The text alone does not tell which of the places marked ")
            .raw("“perhaps” made a call that waits.</p>");
    }
    main.raw("<pre class=\"code\" tabindex=\"0\" role=\"region\" aria-label=\"The program\">");
    for (at, line) in (1u32..).zip(detail.record.code.lines()) {
        let of_line: Vec<(u32, Mark)> = marks
            .range(place(at, 0)..place(at + 1, 0))
            .map(|(place, mark)| (place.column, *mark))
            .collect();
        main.raw("<span id=\"line-").number(at as usize);
        main.raw(match of_line.iter().map(|(_, mark)| *mark).max() {
            Some(Mark::Here) => "\" class=\"here\">",
            Some(Mark::Perhaps) => "\" class=\"perhaps\">",
            None => "\">",
        });
        text(main, line, &of_line);
        main.raw("</span>");
    }
    main.raw("</pre></section>");
}

fn marks(groups: &[Group<'_>]) -> BTreeMap<Place, Mark> {
    let mut marks = BTreeMap::new();
    for row in groups.iter().flat_map(|group| &group.rows) {
        let mark = if row.places.len() == 1 { Mark::Here } else { Mark::Perhaps };
        for place in &row.places {
            let known = marks.entry(*place).or_insert(mark);
            *known = mark.max(*known);
        }
    }
    marks
}

fn place(line: u32, column: u32) -> Place {
    Place { line, column }
}

/// A line whose marked names stand out, with what the marks mean behind it.
fn text(main: &mut Html, line: &str, marks: &[(u32, Mark)]) {
    let mut rest = line;
    let mut column = 1;
    for (at, _) in marks {
        let (before, after) = split(rest, at.saturating_sub(column) as usize);
        let (name, after) = after.split_at(after.find('(').unwrap_or(after.len()));
        main.text(before).raw("<mark>").text(name).raw("</mark>");
        column = at + u32::try_from(name.chars().count()).unwrap_or(u32::MAX);
        rest = after;
    }
    main.text(rest);
    match marks.iter().map(|(_, mark)| *mark).max() {
        Some(Mark::Here) => main.raw("<b class=\"note\">waits here</b>"),
        Some(Mark::Perhaps) => main.raw("<b class=\"note\">perhaps here</b>"),
        None => main,
    };
}

fn split(text: &str, chars: usize) -> (&str, &str) {
    text.split_at(text.char_indices().nth(chars).map_or(text.len(), |(at, _)| at))
}
