//! The fixture's tools that ask the person: each is a list of rounds, put as the client's
//! revision has it.

use crate::conformance::fixture::read;
use rmcp::RoleServer;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, ErrorData, InputRequiredResult, ProtocolVersion,
};
use rmcp::service::RequestContext;
use serde_json::{Value, json};

/// What a tool asks.
pub struct Question {
    /// One after the other: key, message, properties of the form.
    rounds: Vec<(&'static str, &'static str, Value)>,
    /// Whether a state goes out and has to come back as it went.
    keeps_state: bool,
}

/// Whether the client speaks a revision with sessions.
pub fn is_legacy(context: &RequestContext<RoleServer>) -> bool {
    let modern = ProtocolVersion::V_2026_07_28;
    context.protocol_version().is_none_or(|version| version.as_str() < modern.as_str())
}

fn one(key: &'static str, message: &'static str, properties: Value) -> Question {
    Question { rounds: vec![(key, message, properties)], keeps_state: false }
}

impl Question {
    /// What the tool of that name asks, if it is one that asks.
    pub fn of(tool: &str) -> Option<Self> {
        let text = json!({ "type": "string" });
        let name = json!({ "name": text });
        let ok = json!({ "ok": { "type": "boolean" } });
        Some(match tool {
            "test_elicitation" => {
                one("person", "Who are you?", json!({ "username": text, "email": text }))
            }
            "test_elicitation_sep1034_defaults" => one("person", "Who are you?", defaults()),
            "test_elicitation_sep1330_enums" => one("choices", "Which?", choices()),
            "test_streaming_elicitation" | "test_input_required_result_elicitation" => {
                one("user_name", "What is your name?", name)
            }
            "test_input_required_result_request_state"
            | "test_input_required_result_tampered_state" => {
                Self { keeps_state: true, ..one("confirm", "Please confirm", ok) }
            }
            "test_input_required_result_multi_round" => Self {
                rounds: vec![
                    ("step1", "Step 1: What is your name?", name),
                    ("step2", "Step 2: What is your favorite color?", json!({ "color": text })),
                ],
                keeps_state: true,
            },
            _ => return None,
        })
    }

    /// Puts it, or goes on with what the client brings back.
    pub async fn put(
        self,
        request: CallToolRequestParams,
        context: &RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        if is_legacy(context) {
            return self.put_inside(context).await;
        }
        let round = self.round(request.request_state.as_deref())?;
        let answers = request.input_responses.unwrap_or_default();
        let (key, ..) = &self.rounds[round];
        let answered = answers.get(*key).filter(|answer| answer["action"].is_string());
        match answered {
            Some(answer) if round + 1 == self.rounds.len() => self.done(answer),
            Some(_) => self.ask(round + 1),
            None => self.ask(round),
        }
    }

    /// The round that the state says; the first without one.
    fn round(&self, state: Option<&str>) -> Result<usize, ErrorData> {
        let Some(state) = state.filter(|_| self.keeps_state) else { return Ok(0) };
        let round = state.strip_prefix("round-").and_then(|round| round.parse().ok());
        round
            .filter(|round| *round < self.rounds.len())
            .ok_or_else(|| ErrorData::invalid_params("not a state of this tool", None))
    }

    fn ask(&self, round: usize) -> Result<CallToolResponse, ErrorData> {
        let (key, ..) = &self.rounds[round];
        let request = json!({ "method": "elicitation/create", "params": self.form(round) });
        let requests = serde_json::from_value(json!({ *key: request })).map_err(broken)?;
        let state = self.keeps_state.then(|| format!("round-{round}"));
        Ok(InputRequiredResult::new(Some(requests), state).into())
    }

    fn form(&self, round: usize) -> Value {
        let (_, message, properties) = &self.rounds[round];
        let required: Vec<&String> =
            properties.as_object().into_iter().flat_map(|p| p.keys()).collect();
        let schema = json!({ "type": "object", "properties": properties, "required": required });
        json!({ "mode": "form", "message": message, "requestedSchema": schema })
    }

    async fn put_inside(
        &self,
        context: &RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let mut last = Value::Null;
        for round in 0..self.rounds.len() {
            let params = serde_json::from_value(self.form(round)).map_err(broken)?;
            let answer = context.peer.create_elicitation(params).await;
            let answer = answer.map_err(|error| {
                ErrorData::internal_error(format!("the client cannot be asked: {error}"), None)
            })?;
            last = serde_json::to_value(answer).map_err(broken)?;
        }
        self.done(&last)
    }

    fn done(&self, answer: &Value) -> Result<CallToolResponse, ErrorData> {
        let state = if self.keeps_state { "state-ok; " } else { "" };
        let text = format!("{state}the person said {answer}");
        read(json!({ "content": [{ "type": "text", "text": text }] })).map(Into::into)
    }
}

fn broken(error: serde_json::Error) -> ErrorData {
    ErrorData::internal_error(error.to_string(), None)
}

fn defaults() -> Value {
    json!({
        "name": { "type": "string", "default": "John Doe" },
        "age": { "type": "integer", "default": 30 },
        "score": { "type": "number", "default": 95.5 },
        "status": {
            "type": "string", "enum": ["active", "inactive", "pending"], "default": "active"
        },
        "verified": { "type": "boolean", "default": true }
    })
}

fn choices() -> Value {
    let options = ["option1", "option2", "option3"];
    let titled = |first: &str| {
        json!([
            { "const": "value1", "title": first },
            { "const": "value2", "title": "Second" },
            { "const": "value3", "title": "Third" }
        ])
    };
    json!({
        "untitledSingle": { "type": "string", "enum": options },
        "titledSingle": { "type": "string", "oneOf": titled("First Option") },
        "legacyEnum": {
            "type": "string",
            "enum": ["opt1", "opt2", "opt3"],
            "enumNames": ["Option One", "Option Two", "Option Three"]
        },
        "untitledMulti": { "type": "array", "items": { "type": "string", "enum": options } },
        "titledMulti": { "type": "array", "items": { "anyOf": titled("First Choice") } }
    })
}
