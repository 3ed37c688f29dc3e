//! Markup. Only text that stands in this program becomes markup; everything else is escaped,
//! and characters that hide or turn the reading are spelled out by the one place that knows
//! them (`hub_core::redact`).

use crate::web::access::Session;
use crate::web::{NAME, time};
use axum::response::Html as Answer;
use hub_core::redact;
use hub_core::time::UnixMillis;

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

    /// Text that was made to be shown, also inside a quoted attribute.
    pub fn text(&mut self, text: &str) -> &mut Self {
        for c in text.chars() {
            match c {
                '&' => self.0.push_str("&amp;"),
                '<' => self.0.push_str("&lt;"),
                '>' => self.0.push_str("&gt;"),
                '"' => self.0.push_str("&quot;"),
                '\'' => self.0.push_str("&#39;"),
                '\n' | '\t' => self.0.push(c),
                c if redact::is_unseen(c) => self.0.extend(c.escape_unicode()),
                c => self.0.push(c),
            }
        }
        self
    }

    /// Somebody else's text: what deceives is spelled out too, and at most `max` characters of
    /// it are shown.
    pub fn foreign(&mut self, text: &str, max: usize) -> &mut Self {
        let shown = redact::plain(text, max);
        self.text(&shown)
    }

    /// Somebody else's sentence: the same, in quotes.
    pub fn quoted(&mut self, text: &str, max: usize) -> &mut Self {
        let shown = redact::quote(text, max);
        self.text(&shown)
    }

    /// A number.
    pub fn number(&mut self, number: usize) -> &mut Self {
        self.0.push_str(&number.to_string());
        self
    }

    /// A number of things: `1 call`, `12 calls`.
    pub fn count(&mut self, number: usize, one: &'static str, many: &'static str) -> &mut Self {
        self.number(number).raw(" ").raw(if number == 1 { one } else { many })
    }

    /// A moment. The script shows it as the person's own clock does.
    pub fn moment(&mut self, at: UnixMillis) -> &mut Self {
        let utc = time::utc(at);
        self.raw("<time datetime=\"").text(&time::machine(at)).raw("\">").text(&utc).raw("</time>")
    }

    /// A field that is not shown.
    pub fn hidden(&mut self, name: &'static str, value: &str) -> &mut Self {
        self.raw("<input type=\"hidden\" name=\"").raw(name).raw("\" value=\"");
        self.text(value).raw("\">")
    }

    /// Begins a form that changes something; `to` is below the session's path.
    pub fn form(&mut self, session: &Session, to: &str) -> &mut Self {
        self.raw("<form method=\"post\" autocomplete=\"off\" action=\"").text(&session.base());
        self.text(to).raw("\">").hidden("csrf", session.csrf())
    }

    /// The same with a name, for buttons that stand outside of it.
    pub fn form_named(&mut self, session: &Session, to: &str, id: &str) -> &mut Self {
        self.raw("<form method=\"post\" autocomplete=\"off\" id=\"").text(id);
        self.raw("\" action=\"").text(&session.base());
        self.text(to).raw("\">").hidden("csrf", session.csrf())
    }

    /// Begins what may be wider than a phone: it scrolls, also by keys.
    pub fn wide(&mut self, name: &'static str) -> &mut Self {
        self.raw("<div class=\"wide\" tabindex=\"0\" role=\"region\" aria-label=\"");
        self.raw(name).raw("\">")
    }

    /// A state in a word, with a colour that only repeats it.
    pub fn badge(&mut self, kind: Badge, word: &str) -> &mut Self {
        self.raw("<span class=\"badge ").raw(kind.class()).raw("\">").text(word).raw("</span>")
    }

    /// A button of its own form that takes something back; for whoever hears the page it says of
    /// what.
    pub fn undo(&mut self, session: &Session, undo: &Undo<'_>) -> &mut Self {
        self.form(session, undo.to).hidden(undo.field, undo.id).raw("<button class=\"no\">");
        self.raw(undo.words).raw("<span class=\"hidden\"> ").raw(undo.of).raw(" ");
        self.foreign(undo.name, NAME).raw("</span></button></form>")
    }

    /// Markup written before.
    pub fn html(&mut self, other: &Html) -> &mut Self {
        self.0.push_str(&other.0);
        self
    }
}

/// What [`Html::undo`] takes back.
pub struct Undo<'a> {
    /// Where it is sent.
    pub to: &'static str,
    /// The field with the id.
    pub field: &'static str,
    /// Of what is taken back.
    pub id: &'a str,
    /// On the button.
    pub words: &'static str,
    /// `the key of`.
    pub of: &'static str,
    /// The name behind it.
    pub name: &'a str,
}

/// Colours of states.
#[derive(Clone, Copy, PartialEq)]
pub enum Badge {
    /// Done, goes.
    Good,
    /// Waits, asks.
    Waits,
    /// Failed, never goes.
    Bad,
    /// Neither.
    Plain,
}

impl Badge {
    fn class(self) -> &'static str {
        match self {
            Self::Good => "good",
            Self::Waits => "waits",
            Self::Bad => "bad",
            Self::Plain => "plain",
        }
    }
}

/// The pages of the navigation.
#[derive(Clone, Copy, PartialEq)]
pub enum Here {
    Waiting,
    Runs,
    Sources,
    Rules,
    Clients,
}

const NAVIGATION: [(Here, &str, &str); 5] = [
    (Here::Waiting, "", "Waiting"),
    (Here::Runs, "runs", "Runs"),
    (Here::Sources, "sources", "Sources"),
    (Here::Rules, "rules", "Rules"),
    (Here::Clients, "clients", "Clients"),
];

/// What stands around the content of a page.
pub struct Frame<'a> {
    /// Whose way in it is.
    pub session: &'a Session,
    /// Where it belongs.
    pub here: Here,
    /// What it is called.
    pub title: &'a str,
    /// Tells whether there are news.
    pub version: &'a str,
    /// Whether something may be typed into it: then it never reloads by itself.
    pub typed: bool,
    /// How much waits for a decision.
    pub waiting: usize,
}

/// A whole page of a session.
pub fn page(frame: &Frame<'_>, main: &Html) -> Answer<String> {
    let mut page = Html::new();
    let waiting = match frame.waiting {
        0 => String::new(),
        count => format!("({count}) "),
    };
    head(&mut page, &format!("{waiting}{}", frame.title));
    page.raw("<script src=\"/assets/live.js\" defer></script>");
    if !frame.typed {
        page.raw("<noscript><meta http-equiv=\"refresh\" content=\"15\"></noscript>");
    }
    page.raw("</head><body data-version=\"")
        .text(frame.version)
        .raw(" ")
        .number(frame.waiting)
        .raw("\"><a class=\"skip\" href=\"#main\">To the content</a><header>")
        .raw("<nav aria-label=\"Pages\"><span class=\"brand\"><img src=\"/assets/icon.svg\" ")
        .raw("alt=\"\" width=\"20\" height=\"20\">Capabilities</span><ul>");
    let base = frame.session.base();
    for (here, to, name) in NAVIGATION {
        page.raw("<li><a href=\"").text(&base).raw(to).raw("\"");
        if here == frame.here {
            page.raw(" aria-current=\"page\"");
        }
        page.raw(">").raw(name);
        if here == Here::Waiting && frame.waiting > 0 {
            page.raw("<span class=\"count\">").number(frame.waiting).raw("</span>");
        }
        page.raw("</a></li>");
    }
    page.raw("</ul></nav></header><main id=\"main\" tabindex=\"-1\">")
        .html(main)
        .raw("</main><footer>Only you see these pages. No agent can open them, and nothing on ")
        .raw("them is passed on to one.</footer><div id=\"news\" class=\"news\" role=\"status\">")
        .raw("</div></body></html>");
    Answer(page.0)
}

/// A page without a session. `to` is where it goes by itself.
pub fn bare(title: &str, main: Html, to: Option<&str>) -> Answer<String> {
    let mut page = Html::new();
    head(&mut page, title);
    if let Some(to) = to {
        page.raw("<meta http-equiv=\"refresh\" content=\"0;url=").text(to).raw("\">");
    }
    page.raw("</head><body class=\"bare\"><main id=\"main\">").html(&main);
    page.raw("</main></body></html>");
    Answer(page.0)
}

fn head(page: &mut Html, title: &str) {
    page.raw("<!doctype html><html lang=\"en\"><head><meta charset=\"utf-8\"><title>")
        .text(title)
        .raw(" · Capabilities hub</title>")
        .raw("<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">")
        .raw("<meta name=\"color-scheme\" content=\"light dark\">")
        .raw("<link rel=\"stylesheet\" href=\"/assets/style.css\">")
        .raw("<link rel=\"icon\" href=\"/assets/icon.svg\" type=\"image/svg+xml\">");
}
