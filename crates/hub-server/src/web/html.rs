//! Markup. Only text that stands in this program becomes markup; everything else is escaped,
//! and characters that hide or turn the reading are spelled out.

use crate::web::access::Session;
use axum::response::Html as Answer;

/// Markup being written.
#[derive(Default)]
pub struct Html(String);

impl Html {
    /// Nothing yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Markup of our own.
    pub fn raw(&mut self, markup: &'static str) -> &mut Self {
        self.0.push_str(markup);
        self
    }

    /// Text of anybody, also inside a quoted attribute.
    pub fn text(&mut self, text: &str) -> &mut Self {
        for c in text.chars() {
            match c {
                '&' => self.0.push_str("&amp;"),
                '<' => self.0.push_str("&lt;"),
                '>' => self.0.push_str("&gt;"),
                '"' => self.0.push_str("&quot;"),
                '\'' => self.0.push_str("&#39;"),
                '\n' | '\t' => self.0.push(c),
                c if is_unseen(c) => self.0.extend(c.escape_unicode()),
                c => self.0.push(c),
            }
        }
        self
    }

    /// A number.
    pub fn number(&mut self, number: usize) -> &mut Self {
        self.0.push_str(&number.to_string());
        self
    }

    /// Markup written before.
    pub fn html(&mut self, other: &Html) -> &mut Self {
        self.0.push_str(&other.0);
        self
    }
}

/// Draws nothing, acts, or turns the direction of reading.
fn is_unseen(c: char) -> bool {
    c.is_control()
        || matches!(c,
            '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}'
            | '\u{e0000}'..='\u{e0fff}')
}

/// A whole page of a session. `live` pages look for news by themselves; `version` is what
/// tells whether there are any.
pub fn page(session: &Session, title: &str, live: Option<&str>, main: Html) -> Answer<String> {
    let mut page = head(title);
    let base = session.base();
    if live.is_some() {
        page.raw("<script src=\"/assets/live.js\" defer></script>");
        page.raw("<noscript><meta http-equiv=\"refresh\" content=\"30\"></noscript>");
    }
    page.raw("</head><body><a class=\"skip\" href=\"#main\">To the content</a><header><nav ")
        .raw("aria-label=\"Pages\"><strong>Capabilities hub</strong><a href=\"")
        .text(&base)
        .raw("\">Waiting</a><a href=\"")
        .text(&base)
        .raw("runs\">Runs</a></nav></header><main id=\"main\" tabindex=\"-1\"");
    if let Some(version) = live {
        page.raw(" data-version=\"").text(version).raw("\"");
    }
    page.raw(">").html(&main).raw("</main></body></html>");
    Answer(page.0)
}

/// A page without a session. `to` is where it goes by itself.
pub fn bare(title: &str, main: Html, to: Option<&str>) -> Answer<String> {
    let mut page = head(title);
    if let Some(to) = to {
        page.raw("<meta http-equiv=\"refresh\" content=\"0;url=").text(to).raw("\">");
    }
    page.raw("</head><body><main id=\"main\">").html(&main).raw("</main></body></html>");
    Answer(page.0)
}

fn head(title: &str) -> Html {
    let mut page = Html::new();
    page.raw("<!doctype html><html lang=\"en\"><head><meta charset=\"utf-8\"><title>")
        .text(title)
        .raw(" · Capabilities hub</title>")
        .raw("<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">")
        .raw("<meta name=\"color-scheme\" content=\"light dark\">")
        .raw("<link rel=\"stylesheet\" href=\"/assets/style.css\">")
        .raw("<link rel=\"icon\" href=\"/assets/icon.svg\" type=\"image/svg+xml\">");
    page
}
