//! "Always", narrowed to argument values: conditions as a person types them.

use crate::error::CliError;
use crate::gate::Terminal;
use hub_core::policy::{ArgumentCondition, ArgumentTest};
use serde_json::Value;

const HELP: &[&str] = &[
    "  always for which arguments? An empty line ends; at once, any arguments are allowed.",
    "    /owner equals \"me\"          /owner one_of [\"me\", \"us\"]",
    "    /amount range 1..50         /path path_under /srv/docs",
    "    /url url_host api.example.com",
];

/// Asks for conditions until an empty line; none where the terminal closed.
pub fn ask(terminal: &mut Terminal) -> Result<Option<Vec<ArgumentCondition>>, CliError> {
    for line in HELP {
        terminal.say(line)?;
    }
    let mut conditions = Vec::new();
    loop {
        let Some(typed) = terminal.ask("  only where: ")? else { return Ok(None) };
        if typed.is_empty() {
            return Ok(Some(conditions));
        }
        match read(&typed) {
            Ok(condition) => conditions.push(condition),
            Err(why) => terminal.say(&format!("  {why}"))?,
        }
    }
}

/// `POINTER TEST VALUE`.
pub fn read(typed: &str) -> Result<ArgumentCondition, String> {
    const FORM: &str = "write a pointer, then equals, one_of, range, path_under or url_host, then \
                        a value: /owner equals \"me\"";
    let word = |text: &str| -> Option<(String, String)> {
        let (word, rest) = text.split_once(char::is_whitespace)?;
        Some((word.to_owned(), rest.trim_start().to_owned()))
    };
    let (pointer, rest) = word(typed.trim()).ok_or(FORM)?;
    let (test, value) = word(&rest).ok_or(FORM)?;
    let value = value.as_str();
    let test = match test.as_str() {
        "equals" => ArgumentTest::Equals(json(value)),
        "one_of" => ArgumentTest::OneOf(list(value)?),
        "range" => range(value)?,
        "path_under" => ArgumentTest::PathUnder(bare(value)),
        "url_host" => ArgumentTest::UrlHost(bare(value)),
        _ => return Err(FORM.to_owned()),
    };
    let condition = ArgumentCondition { pointer, test };
    hub_core::policy::check_condition(&condition).map_err(|error| error.to_string())?;
    Ok(condition)
}

/// JSON, or else the text as it stands.
fn json(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|_| Value::String(text.to_owned()))
}

fn bare(text: &str) -> String {
    json(text).as_str().map_or_else(|| text.to_owned(), str::to_owned)
}

/// A JSON array, or values with commas between.
fn list(text: &str) -> Result<Vec<Value>, String> {
    if !text.starts_with('[') {
        return Ok(text.split(',').map(|value| json(value.trim())).collect());
    }
    serde_json::from_str(text).map_err(|_| "write one_of [\"a\", \"b\"]".to_owned())
}

/// `1..5`, `..5`, `1..`: both ends count.
fn range(text: &str) -> Result<ArgumentTest, String> {
    let wrong = || "write range 1..50, range 1.. or range ..50".to_owned();
    let (min, max) = text.split_once("..").ok_or_else(wrong)?;
    let bound = |text: &str| match text.trim() {
        "" => Ok(None),
        number => number.parse::<f64>().ok().filter(|n| n.is_finite()).map(Some).ok_or_else(wrong),
    };
    Ok(ArgumentTest::Range { min: bound(min)?, max: bound(max)? })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn every_test_is_typed_as_it_is_told() {
        let range = |min, max| ArgumentTest::Range { min, max };
        let table = [
            ("/owner equals \"me\"", "/owner", ArgumentTest::Equals(json!("me"))),
            ("/owner equals me too", "/owner", ArgumentTest::Equals(json!("me too"))),
            ("/n  equals  3", "/n", ArgumentTest::Equals(json!(3))),
            ("/n equals null", "/n", ArgumentTest::Equals(json!(null))),
            ("/a/0 one_of [1, \"b\"]", "/a/0", ArgumentTest::OneOf(vec![json!(1), json!("b")])),
            ("/a one_of x, y", "/a", ArgumentTest::OneOf(vec![json!("x"), json!("y")])),
            ("/n range 1..50", "/n", range(Some(1.0), Some(50.0))),
            ("/n range ..5", "/n", range(None, Some(5.0))),
            ("/n range -1.5..", "/n", range(Some(-1.5), None)),
            ("/p path_under /srv/a b", "/p", ArgumentTest::PathUnder("/srv/a b".into())),
            ("/u url_host \"a.example\"", "/u", ArgumentTest::UrlHost("a.example".into())),
        ];
        for (typed, pointer, test) in table {
            let expected = ArgumentCondition { pointer: pointer.to_owned(), test };
            assert_eq!(read(typed), Ok(expected), "{typed}");
        }
        let help = HELP.iter().flat_map(|line| line.split("  ")).map(str::trim);
        for example in help.filter(|text| text.starts_with('/')) {
            read(example).expect(example);
        }
    }

    #[test]
    fn what_would_never_hold_is_told_and_not_taken() {
        for typed in [
            "owner equals me",
            "/owner",
            "/owner equals",
            "/owner is me",
            "/n range 5",
            "/n range ..",
            "/n range 5..1",
            "/n range a..b",
            "/n range NaN..",
            "/p path_under /a/../b",
            "/u url_host https://a.example",
            "/a one_of [1",
            "/a~2 equals 1",
            "",
        ] {
            assert!(read(typed).is_err(), "{typed}");
        }
    }
}
