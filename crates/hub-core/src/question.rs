//! A question of a source (a pending of kind `input`) and the answer to it.
//!
//! A question is JSON text of `inputRequests` (MCP 2026-07-28): key to `elicitation/create`. Its
//! answer is JSON text of `inputResponses`: the same keys to `ElicitResult`. Every channel reads
//! and writes them here.

use crate::policy::plain_url_host;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;

/// Requests of one question that are read.
const REQUESTS: usize = 16;
/// Fields of one request that are read.
const FIELDS: usize = 64;
/// Choices of one field that are read.
const CHOICES: usize = 256;

/// One thing that is asked.
#[derive(Clone, Debug, PartialEq)]
pub struct Question {
    /// Its key.
    pub key: String,
    /// What is asked, in the source's words.
    pub message: String,
    /// What can be filled in; empty where only consent is asked.
    pub fields: Vec<Field>,
    /// Where the person is sent instead (mode `url`): https or this machine, plainly written.
    /// Anything else is not shown, and can only be declined; the message says so.
    pub url: Option<String>,
}

/// One field of a form.
#[derive(Clone, Debug, PartialEq)]
pub struct Field {
    /// Its name in the answer.
    pub name: String,
    /// What a person calls it.
    pub title: String,
    /// What it means.
    pub description: String,
    /// Whether it must be filled.
    pub required: bool,
    /// What it takes.
    pub kind: FieldKind,
}

/// What a field takes.
#[derive(Clone, Debug, PartialEq)]
pub enum FieldKind {
    /// Any text.
    Text,
    /// A number.
    Number,
    /// A whole number.
    Integer,
    /// Yes or no.
    Flag,
    /// One of these: value and title.
    OneOf(Vec<(String, String)>),
    /// Some of these: value and title.
    SomeOf(Vec<(String, String)>),
}

/// What is asked; empty where the text cannot be read.
pub fn read(question: &str) -> Vec<Question> {
    let Ok(Value::Object(requests)) = serde_json::from_str(question) else {
        return Vec::new();
    };
    requests.iter().take(REQUESTS).map(|(key, request)| one(key, &request["params"])).collect()
}

/// The answer that accepts with these contents, by key; what has none is declined.
pub fn answer(question: &str, mut contents: BTreeMap<String, Map<String, Value>>) -> String {
    let requests: Map<String, Value> = serde_json::from_str(question).unwrap_or_default();
    let answers = requests.into_iter().map(|(key, request)| {
        let params = &request["params"];
        let is_url = params["mode"] == "url";
        let content = contents.remove(&key).filter(|_| !is_url || url(params).is_some());
        let answer = match content {
            Some(_) if is_url => json!({ "action": "accept" }),
            Some(content) => json!({ "action": "accept", "content": content }),
            None => json!({ "action": "decline" }),
        };
        (key, answer)
    });
    Value::Object(answers.collect()).to_string()
}

impl Field {
    /// Reads what a person typed; `None` where it does not fit. Nothing typed is no value, which
    /// fits a field that is not required. Several chosen ones stand on a line each.
    pub fn value(&self, typed: &str) -> Option<Option<Value>> {
        let typed = typed.trim();
        if let FieldKind::Flag = self.kind {
            return Some(Some(Value::from(matches!(typed, "on" | "true" | "yes" | "y"))));
        }
        if typed.is_empty() {
            return (!self.required).then_some(None);
        }
        let is_offered = |choices: &[(String, String)], text: &str| {
            choices.iter().any(|(value, _)| value == text)
        };
        let value = match &self.kind {
            FieldKind::Text | FieldKind::Flag => Value::from(typed),
            FieldKind::Integer => Value::from(typed.parse::<i64>().ok()?),
            FieldKind::Number => {
                let number = typed.parse::<f64>().ok()?;
                Value::Number(serde_json::Number::from_f64(number)?)
            }
            FieldKind::OneOf(choices) => is_offered(choices, typed).then(|| Value::from(typed))?,
            FieldKind::SomeOf(choices) => {
                let chosen: Vec<&str> = typed.lines().map(str::trim).collect();
                chosen.iter().all(|text| is_offered(choices, text)).then(|| json!(chosen))?
            }
        };
        Some(Some(value))
    }
}

fn one(key: &str, params: &Value) -> Question {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let schema = &params["requestedSchema"];
    let required: Vec<&str> =
        schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    let properties = schema["properties"].as_object().into_iter().flatten();
    let fields = properties.take(FIELDS).map(|(name, property)| {
        let title = text(&property["title"]);
        Field {
            name: name.clone(),
            title: if title.is_empty() { name.clone() } else { title },
            description: text(&property["description"]),
            required: required.contains(&name.as_str()),
            kind: kind(property),
        }
    });
    let url = url(params).map(str::to_owned);
    let mut message = text(&params["message"]);
    if params["mode"] == "url" && url.is_none() {
        message.push_str(UNFIT);
    }
    Question { key: key.to_owned(), message, fields: fields.collect(), url }
}

/// What is said of an address that is not shown.
const UNFIT: &str = " (It wants you to open an address that is no plain https address. That is \
                     not shown, and can only be declined.)";

/// The address of a request in mode `url`, where a person may be sent there.
fn url(params: &Value) -> Option<&str> {
    let url = params["url"].as_str().filter(|_| params["mode"] == "url")?;
    let (scheme, rest) = url.split_once(':')?;
    let host = plain_url_host(url)?;
    let is_here = matches!(host.as_str(), "localhost" | "127.0.0.1" | "[::1]");
    let fits = match scheme.to_ascii_lowercase().as_str() {
        "https" => true,
        "http" => is_here,
        _ => false,
    };
    (fits && rest.starts_with("//")).then_some(url)
}

fn kind(property: &Value) -> FieldKind {
    let items = &property["items"];
    if let Some(choices) = choices(&items["enum"], &items["anyOf"], &Value::Null) {
        return FieldKind::SomeOf(choices);
    }
    let plain = (&property["enum"], &property["oneOf"], &property["enumNames"]);
    if let Some(choices) = choices(plain.0, plain.1, plain.2) {
        return FieldKind::OneOf(choices);
    }
    match property["type"].as_str() {
        Some("boolean") => FieldKind::Flag,
        Some("integer") => FieldKind::Integer,
        Some("number") => FieldKind::Number,
        _ => FieldKind::Text,
    }
}

/// Choices as plain values (with names beside them, in older revisions) or as titled constants.
fn choices(plain: &Value, titled: &Value, names: &Value) -> Option<Vec<(String, String)>> {
    let text = |value: &Value| value.as_str().map(str::to_owned);
    if let Some(values) = plain.as_array() {
        let values = values.iter().take(CHOICES).enumerate().filter_map(|(at, value)| {
            let value = text(value)?;
            let title = text(&names[at]).unwrap_or_else(|| value.clone());
            Some((value, title))
        });
        return Some(values.collect());
    }
    let values = titled.as_array()?.iter().take(CHOICES).filter_map(|choice| {
        let value = text(&choice["const"])?;
        let title = text(&choice["title"]).unwrap_or_else(|| value.clone());
        Some((value, title))
    });
    Some(values.collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn field(property: Value, required: bool) -> Field {
        let question = json!({ "k": { "method": "elicitation/create", "params": {
            "message": "m",
            "requestedSchema": {
                "type": "object",
                "properties": { "f": property },
                "required": if required { json!(["f"]) } else { json!([]) }
            }
        } } });
        read(&question.to_string()).remove(0).fields.remove(0)
    }

    #[test]
    fn every_kind_of_field_is_read_and_takes_what_fits() {
        let pair = |a: &str, b: &str| (a.to_owned(), b.to_owned());
        let two = vec![pair("a", "A"), pair("b", "B")];
        let titled = json!([{ "const": "a", "title": "A" }, { "const": "b", "title": "B" }]);
        for (property, kind, fits, misfit) in [
            (json!({ "type": "string" }), FieldKind::Text, ("x", json!("x")), None),
            (json!({}), FieldKind::Text, ("7", json!("7")), None),
            (json!({ "type": "integer" }), FieldKind::Integer, ("-7", json!(-7)), Some("1.5")),
            (json!({ "type": "number" }), FieldKind::Number, ("1.5", json!(1.5)), Some("NaN")),
            (json!({ "type": "boolean" }), FieldKind::Flag, ("on", json!(true)), None),
            (
                json!({ "enum": ["a", "b"], "enumNames": ["A", "B"] }),
                FieldKind::OneOf(two.clone()),
                ("a", json!("a")),
                Some("c"),
            ),
            (
                json!({ "oneOf": titled }),
                FieldKind::OneOf(two.clone()),
                ("b", json!("b")),
                Some("A"),
            ),
            (
                json!({ "type": "array", "items": { "anyOf": titled } }),
                FieldKind::SomeOf(two),
                ("a\nb", json!(["a", "b"])),
                Some("a\nc"),
            ),
        ] {
            let field = field(property.clone(), true);
            assert_eq!(field.kind, kind, "{property}");
            assert_eq!(field.value(fits.0), Some(Some(fits.1)), "{property}");
            if let Some(misfit) = misfit {
                assert_eq!(field.value(misfit), None, "{property}");
            }
        }
        assert_eq!(field(json!({}), true).value(" "), None);
        assert_eq!(field(json!({}), false).value(" "), Some(None));
        assert_eq!(field(json!({ "type": "boolean" }), true).value(""), Some(Some(json!(false))));
    }

    #[test]
    fn an_answer_has_every_key_of_the_question() {
        let question = json!({
            "a": { "params": { "message": "m", "requestedSchema": {} } },
            "b": { "params": { "mode": "url", "message": "m", "url": "https://x.example/" } },
            "c": { "params": {} }
        })
        .to_string();
        let asked = read(&question);
        assert_eq!(asked[1].url.as_deref(), Some("https://x.example/"));
        let content = Map::from_iter([("f".to_owned(), json!(1))]);
        let contents = BTreeMap::from([("a".to_owned(), content), ("b".to_owned(), Map::new())]);
        let answer: Value = serde_json::from_str(&answer(&question, contents)).unwrap();
        assert_eq!(answer["a"], json!({ "action": "accept", "content": { "f": 1 } }));
        assert_eq!(answer["b"], json!({ "action": "accept" }));
        assert_eq!(answer["c"], json!({ "action": "decline" }));
        assert_eq!(read("no question"), []);
    }

    #[test]
    fn a_person_is_sent_only_where_they_can_see_where_that_is() {
        let table = [
            ("https://auth.example.test/x?a=b", true),
            ("HTTPS://auth.example.test", true),
            ("https://auth.example.test:8443/x", true),
            ("http://127.0.0.1:4000/callback", true),
            ("http://localhost/x", true),
            ("http://[::1]:1/x", true),
            ("http://evil.test", false),
            ("http://127.0.0.1.evil.test/", false),
            ("javascript:alert(1)", false),
            ("javascript://x.example/%0aalert(1)", false),
            ("data:text/html,x", false),
            ("file:///etc/passwd", false),
            ("https://user:pw@evil.test", false),
            ("https://bank.example@evil.test/", false),
            ("https://evil.test\\@bank.example/", false),
            ("https://b\u{430}nk.example/", false),
            ("https://evil.test\u{202e}/", false),
            (" https://x.example/", false),
            ("https:x.example", false),
            ("//x.example", false),
            ("", false),
        ];
        for (url, fits) in table {
            let asked = json!({ "a": { "params": { "mode": "url", "message": "m", "url": url } } });
            let asked = asked.to_string();
            let question = &read(&asked)[0];
            assert_eq!(question.url.as_deref(), fits.then_some(url), "{url}");
            assert_eq!(question.message.contains("only be declined"), !fits, "{url}");
            let yes = answer(&asked, [("a".to_owned(), Map::new())].into());
            assert_eq!(yes.contains("accept"), fits, "{url}: {yes}");
        }
    }
}
