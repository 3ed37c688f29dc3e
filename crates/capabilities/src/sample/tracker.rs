//! The issues and what can be done to them: no I/O but the optional state file.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::path::PathBuf;

/// Issues in one answer of `search_issues` and `list_issues`.
const ANSWER_ISSUES: usize = 100;

/// One issue.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Issue {
    /// From 1, never given twice.
    number: u64,
    title: String,
    body: String,
    state: State,
    labels: Vec<String>,
    comments: Vec<String>,
}

/// Whether work is left.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum State {
    Open,
    Closed,
}

/// Everything the tracker holds.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
struct Issues {
    next: u64,
    issues: Vec<Issue>,
}

/// The tracker.
#[derive(Debug)]
pub struct Tracker {
    held: Issues,
    file: Option<PathBuf>,
}

/// What a call answers: structured content, or what went wrong in words.
pub type Answer = Result<Value, String>;

impl Tracker {
    /// A tracker with a few issues in it, or what `file` holds where it exists.
    pub fn open(file: Option<PathBuf>) -> std::io::Result<Self> {
        let kept = match &file {
            Some(path) if path.exists() => Some(std::fs::read_to_string(path)?),
            _ => None,
        };
        let held = match kept {
            Some(text) => serde_json::from_str(&text)?,
            None => Issues::first(),
        };
        Ok(Self { held, file })
    }

    /// Does what `tool` says; none where there is no such tool.
    pub fn call(&mut self, tool: &str, arguments: &Value) -> Option<Answer> {
        Some(match tool {
            "create_issue" => read(arguments).and_then(|new| self.create(new)),
            "search_issues" => read(arguments).map(|query| self.search(&query)),
            "list_issues" => read(arguments).map(|which| self.list(&which)),
            "comment_on_issue" => read(arguments).and_then(|comment| self.comment(comment)),
            "delete_issue" => read(arguments).and_then(|which| self.delete(&which)),
            _ => return None,
        })
    }

    fn create(&mut self, new: Create) -> Answer {
        if new.title.trim().is_empty() {
            return Err("an issue needs a title".into());
        }
        let issue = Issue {
            number: self.held.next,
            title: new.title,
            body: new.body,
            state: State::Open,
            labels: new.labels,
            comments: Vec::new(),
        };
        self.held.next += 1;
        self.held.issues.push(issue.clone());
        self.keep()?;
        Ok(json!(issue))
    }

    fn search(&self, query: &Search) -> Value {
        let words: Vec<String> = query.query.split_whitespace().map(str::to_lowercase).collect();
        let hits = self.held.issues.iter().filter(|issue| {
            let text = format!("{} {} {}", issue.title, issue.body, issue.labels.join(" "));
            let text = text.to_lowercase();
            words.iter().all(|word| text.contains(word))
        });
        json!({ "issues": hits.take(ANSWER_ISSUES).collect::<Vec<_>>() })
    }

    fn list(&self, which: &List) -> Value {
        let hits = self.held.issues.iter().filter(|i| which.state.is_none_or(|s| s == i.state));
        json!({ "issues": hits.take(ANSWER_ISSUES).collect::<Vec<_>>() })
    }

    fn comment(&mut self, comment: Comment) -> Answer {
        let issue = self.held.issues.iter_mut().find(|i| i.number == comment.number);
        let issue = issue.ok_or_else(|| no_issue(comment.number))?;
        issue.comments.push(comment.text);
        let issue = json!(issue);
        self.keep()?;
        Ok(issue)
    }

    fn delete(&mut self, which: &Delete) -> Answer {
        let before = self.held.issues.len();
        self.held.issues.retain(|i| i.number != which.number);
        if self.held.issues.len() == before {
            return Err(no_issue(which.number));
        }
        self.keep()?;
        Ok(json!({ "deleted": which.number, "left": self.held.issues.len() }))
    }

    fn keep(&self) -> Result<(), String> {
        let Some(path) = &self.file else { return Ok(()) };
        let text = serde_json::to_string(&self.held).map_err(|e| e.to_string())?;
        crate::folder::write_private(path, &text)
            .map_err(|e| format!("the tracker cannot keep its issues: {e}"))
    }
}

impl Issues {
    fn first() -> Self {
        let issue = |number, title: &str, body: &str, label: &str| Issue {
            number,
            title: title.into(),
            body: body.into(),
            state: State::Open,
            labels: vec![label.into()],
            comments: Vec::new(),
        };
        let issues = vec![
            issue(1, "Crash when saving", "Saving an empty document ends the program.", "bug"),
            issue(2, "Dark theme", "Settings should offer a dark theme.", "wish"),
            issue(3, "Crash when saving twice", "The same as number 1.", "bug"),
        ];
        Self { next: 4, issues }
    }
}

fn no_issue(number: u64) -> String {
    format!("there is no issue {number}")
}

/// Reads arguments. The hub has checked them; another client may not have.
fn read<T: serde::de::DeserializeOwned>(arguments: &Value) -> Result<T, String> {
    T::deserialize(arguments).map_err(|e| format!("the arguments do not fit: {e}"))
}

#[derive(Deserialize)]
struct Create {
    title: String,
    #[serde(default)]
    body: String,
    #[serde(default)]
    labels: Vec<String>,
}

#[derive(Deserialize)]
struct Search {
    query: String,
}

#[derive(Deserialize)]
struct List {
    #[serde(default)]
    state: Option<State>,
}

#[derive(Deserialize)]
struct Comment {
    number: u64,
    text: String,
}

#[derive(Deserialize)]
struct Delete {
    number: u64,
}
