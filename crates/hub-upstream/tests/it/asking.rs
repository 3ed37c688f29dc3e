//! Legacy servers that ask inside a live call.

use crate::scripts::scripted_source;
use crate::support::web::{Reply, Web};
use crate::support::*;
use hub_core::ports::{Answer, AskPerson, BoxFuture, Upstream};
use hub_upstream::Options;
use serde_json::{Value, json};
use std::sync::{Arc, Mutex};

/// Answers every question the same way, after the call's own limit has passed.
struct Person {
    answer: &'static str,
    delay_ms: u64,
    asked: Mutex<Vec<String>>,
}

impl AskPerson for Person {
    fn ask<'a>(&'a self, params: &'a str) -> BoxFuture<'a, String> {
        self.asked.lock().unwrap().push(params.to_owned());
        Box::pin(async move {
            tokio::time::sleep(std::time::Duration::from_millis(self.delay_ms)).await;
            self.answer.to_owned()
        })
    }
}

async fn asked(options: Options, tool: &str, person: Option<Arc<Person>>) -> Value {
    let (upstream, source) = (upstream(options), scripted_source("plain"));
    ask(&upstream, &source, "warm").await.unwrap();
    let mut ask = call(&source, tool, "{}");
    ask.timeout_ms = 500;
    ask.asks = person.map(|person| person as Arc<dyn AskPerson>);
    let Answer::Value(value) = upstream.call(ask).await.unwrap() else { panic!() };
    serde_json::from_str(&value).unwrap()
}

fn person(answer: &'static str, delay_ms: u64) -> Arc<Person> {
    Arc::new(Person { answer, delay_ms, asked: Mutex::default() })
}

#[tokio::test]
async fn the_person_answers_however_long_it_takes() {
    let accept = "{\"action\":\"accept\",\"content\":{\"which\":\"b\"}}";
    let person = person(accept, 900);
    let value = asked(options(), "ask", Some(person.clone())).await;
    assert_eq!(value["result"], serde_json::from_str::<Value>(accept).unwrap());
    let params: Value = serde_json::from_str(&person.asked.lock().unwrap()[0]).unwrap();
    assert_eq!(params["message"], json!("Which?"));
}

#[tokio::test]
async fn where_nobody_can_answer_the_server_is_told() {
    let declined = json!({"action": "decline"});
    assert_eq!(asked(options(), "ask", None).await["result"], declined);
    let nonsense = asked(options(), "ask", Some(person("nonsense", 0))).await;
    assert_eq!(nonsense["result"], declined);
    let off = Options { elicitation: false, ..options() };
    assert_eq!(asked(off, "ask", None).await["error"]["code"], json!(-32601));
    let sampled = asked(options(), "sample", Some(person("{}", 0))).await;
    assert_eq!(sampled["error"]["code"], json!(-32601));
}

/// A legacy web server asks on the stream that belongs to no request, or on that of the call;
/// the result of the call is what the person answered.
#[tokio::test]
async fn questions_come_on_either_stream() {
    let question = json!({"jsonrpc": "2.0", "id": 7, "method": "elicitation/create",
        "params": {"message": "Which?"}});
    let question = format!("event: message\ndata: {question}\n\n");
    for general in [true, false] {
        let (ask_now, asked) = tokio::sync::mpsc::channel(1);
        let (answer_now, answered) = tokio::sync::mpsc::channel(1);
        let asked = Arc::new(tokio::sync::Mutex::new(asked));
        let answered = Arc::new(tokio::sync::Mutex::new(answered));
        let called = Arc::new(Mutex::new(Value::Null));
        let (question, id) = (question.clone(), called.clone());
        let on_call = move |seen: &crate::support::web::Seen| {
            *id.lock().unwrap() = seen.body["id"].clone();
            let question = question.clone();
            let first = if general { String::new() } else { question.clone() };
            if general {
                ask_now.try_send(question).unwrap();
            }
            Reply { later: Some(answered.clone()), ..Reply::events(&first) }
        };
        let web = Web::legacy(on_call, move |seen| match seen.method.as_str() {
            "GET" => Reply { later: Some(asked.clone()), ..Reply::events(": open\n\n") },
            _ => {
                let result = json!({"structuredContent": seen.body["result"]});
                let id = called.lock().unwrap().clone();
                let message = json!({"jsonrpc": "2.0", "id": id, "result": result});
                answer_now.try_send(format!("data: {message}\n\n")).unwrap();
                Reply::new(202, "", "")
            }
        })
        .await;
        let (upstream, source) = (upstream(options()), web_source(&web.url()));
        let mut ask = call(&source, "t", "{}");
        ask.asks = Some(person("{\"action\":\"accept\",\"content\":{}}", 0));
        let value = upstream.call(ask).await.unwrap();
        assert_eq!(value, Answer::Value("{\"action\":\"accept\",\"content\":{}}".to_owned()));
    }
}
