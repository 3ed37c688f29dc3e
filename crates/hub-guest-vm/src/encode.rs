//! Values as JSON text. Arguments of calls are strict: what JSON would lose in silence is refused
//! with its path. Results are lenient: everything gets a form, and what was changed is told.

use crate::raw::{self, Settled, kind};
use crate::{natives, text};
use rquickjs::{Atom, Ctx, Function, Object, Value};
use std::borrow::Cow;

/// Levels of JSON taken from the guest.
pub const DEPTH_OUT: usize = 64;
/// Notices told, and characters of one.
const NOTICES: usize = 20;
/// Characters of a path that are told.
const PATH_CHARS: usize = 120;
/// Characters of one name in a path.
const NAME_CHARS: usize = 40;

/// Writes one value.
pub struct Encoder<'js> {
    ctx: Ctx<'js>,
    /// The prelude's stand-ins, for results only.
    api: Option<Object<'js>>,
    limit: usize,
    out: Vec<u8>,
    size: usize,
    path: String,
    parents: Vec<(usize, usize)>,
    notices: Vec<(&'static str, String, usize)>,
}

/// A member that is not there, or one to write.
enum Form<'js> {
    Absent(&'static str),
    Marker(String),
    /// The value, its kind, and whose place it takes: a cycle may lead through what it stands for.
    Value(Value<'js>, i32, usize),
}

/// What came out.
pub struct Encoded {
    /// The JSON text, cut at the limit.
    pub json: Vec<u8>,
    /// Bytes of the whole.
    pub size: usize,
    /// What was changed, a line each.
    pub notices: Vec<String>,
}

type Refusal = Cow<'static, str>;

impl<'js> Encoder<'js> {
    /// For the arguments of a call.
    pub fn strict(ctx: Ctx<'js>, limit: usize) -> Self {
        Self::new(ctx, None, limit)
    }

    /// For the result of the program.
    pub fn lenient(ctx: Ctx<'js>, api: Object<'js>, limit: usize) -> Self {
        Self::new(ctx, Some(api), limit)
    }

    fn new(ctx: Ctx<'js>, api: Option<Object<'js>>, limit: usize) -> Self {
        Self {
            ctx,
            api,
            limit,
            out: Vec::new(),
            size: 0,
            path: "$".into(),
            parents: Vec::new(),
            notices: Vec::new(),
        }
    }

    /// Writes `value`, or says why it cannot be written.
    pub fn encode(mut self, value: Value<'js>) -> Result<Encoded, String> {
        match self.form(value, "")? {
            Form::Absent("undefined") => self.push(b"null"),
            Form::Absent(what) => return Err(format!("{what} has no JSON form")),
            form => self.write(form)?,
        }
        if self.api.is_none() && self.size > self.limit {
            return Err(format!("the arguments are larger than {} bytes", self.limit));
        }
        let mut notices: Vec<String> = Vec::new();
        for (what, path, count) in self.notices.iter().take(NOTICES) {
            let more =
                if *count > 1 { format!(" (and {} more)", count - 1) } else { String::new() };
            notices.push(format!("{path}{more}: {what}"));
        }
        Ok(Encoded { json: cut(self.out), size: self.size, notices })
    }

    fn push(&mut self, bytes: &[u8]) {
        self.size += bytes.len();
        let room = self.limit.saturating_sub(self.out.len());
        self.out.extend_from_slice(&bytes[..bytes.len().min(room)]);
    }

    fn strict_mode(&self) -> bool {
        self.api.is_none()
    }

    fn notice(&mut self, what: &'static str) {
        match self.notices.iter_mut().find(|(known, ..)| *known == what) {
            Some((_, _, count)) => *count += 1,
            None => self.notices.push((what, short(&self.path, PATH_CHARS), 1)),
        }
    }

    /// Refuses in arguments; in results leaves a marker and a notice.
    fn odd(&mut self, refusal: &str, notice: &'static str) -> Result<Form<'js>, Refusal> {
        if self.strict_mode() {
            return Err(format!("{} {refusal}", short(&self.path, PATH_CHARS)).into());
        }
        self.notice(notice);
        Ok(Form::Marker(format!("[{notice}]")))
    }

    /// What to write for `value`: its own `toJSON`, the value of a promise, a stand-in.
    fn form(&mut self, value: Value<'js>, key: &str) -> Result<Form<'js>, Refusal> {
        let mut value = value;
        let mut asked = false;
        loop {
            let kind = raw::kind_of(&value);
            match kind {
                kind::NONE if value.is_undefined() => return Ok(Form::Absent("undefined")),
                kind::NONE if value.is_symbol() => return Ok(Form::Absent("a symbol")),
                // Programs teach big integers their JSON: `BigInt.prototype.toJSON = …`.
                kind::NONE if !asked && raw::is_big_int(&value) => {
                    asked = true;
                    match self.to_json(&value, key) {
                        Ok(Some(own)) => value = own,
                        Ok(None) => return Ok(found(value, kind)),
                        Err(()) => return self.odd("threw in toJSON", "toJSON threw"),
                    }
                }
                kind::NONE => return Ok(found(value, kind)),
                kind::FUNCTION => return Ok(Form::Absent("a function")),
                kind::PROMISE => match self.awaited(&value)? {
                    Ok(inner) => value = inner,
                    Err(form) => return Ok(form),
                },
                kind::DATE => return self.stand_in(value, kind),
                _ if !asked => {
                    asked = true;
                    match self.to_json(&value, key) {
                        Ok(Some(own)) => value = own,
                        Ok(None) => return self.stand_in(value, kind),
                        Err(()) => return self.odd("threw in toJSON", "toJSON threw"),
                    }
                }
                _ => return self.stand_in(value, kind),
            }
        }
    }

    fn awaited(&mut self, promise: &Value<'js>) -> Result<Result<Value<'js>, Form<'js>>, Refusal> {
        if self.strict_mode() {
            return self.odd("is a promise; await it first", "").map(Err);
        }
        match raw::settled(promise) {
            Settled::Fulfilled(value) => {
                self.notice("a promise was awaited");
                Ok(Ok(value))
            }
            Settled::Rejected(reason) => {
                natives::forget_rejection(promise);
                self.notice("a promise here was rejected; its error stands in its place");
                Ok(Ok(reason))
            }
            Settled::Pending => self.odd("", "a promise that never settled").map(Err),
        }
    }

    fn to_json(&self, value: &Value<'js>, key: &str) -> Result<Option<Value<'js>>, ()> {
        let found = raw::property(value, c"toJSON").ok_or_else(|| self.forget())?;
        let Some(function) = found.as_function() else { return Ok(None) };
        let this = rquickjs::prelude::This(value.clone());
        function.call((this, key)).map(Some).map_err(|_| self.forget())
    }

    /// Drops the exception that is pending.
    fn forget(&self) {
        self.ctx.catch();
    }

    fn stand_in(&mut self, value: Value<'js>, kind: i32) -> Result<Form<'js>, Refusal> {
        let (refusal, notice) = match kind {
            kind::DATE => ("", "a Date became an ISO text"),
            kind::REGEXP => ("is a RegExp; pass its text", "a RegExp became its text"),
            kind::MAP => ("is a Map; pass a plain object", "a Map became an object or pairs"),
            kind::SET => ("is a Set; pass an array", "a Set became an array"),
            kind::ERROR => ("is an Error; pass its message", "an Error became an object"),
            kind::VIEW => {
                ("is a typed array; pass an array or text", "a typed array became an array")
            }
            kind::BUFFER | kind::DATAVIEW => {
                ("is a buffer; pass an array or text", "a buffer became an array of bytes")
            }
            kind::BOXED => ("", ""),
            _ => return Ok(found(value, kind)),
        };
        if self.strict_mode() && !refusal.is_empty() {
            return self.odd(refusal, "");
        }
        if !notice.is_empty() && !self.strict_mode() {
            self.notice(notice);
        }
        let api = self.api.clone().or_else(|| natives::api(&self.ctx));
        let origin = raw::identity(&value);
        let plain: Option<Value> = api
            .and_then(|api| api.get::<_, Function>("plain").ok())
            .and_then(|plain| plain.call((value, kind)).ok());
        match plain {
            Some(plain) => {
                let kind = raw::kind_of(&plain);
                Ok(Form::Value(plain, kind, origin))
            }
            None => {
                self.forget();
                self.odd("threw while it was read", "a value threw while it was read")
            }
        }
    }

    fn write(&mut self, form: Form<'js>) -> Result<(), Refusal> {
        match form {
            Form::Absent(_) => {
                self.push(b"null");
                Ok(())
            }
            Form::Marker(text) => {
                self.quoted(text.as_bytes());
                Ok(())
            }
            Form::Value(value, kind::NONE, _) => self.primitive(&value),
            Form::Value(value, kind, origin) => self.object(&value, kind, origin),
        }
    }

    fn quoted(&mut self, bytes: &[u8]) {
        text::quote(bytes, |part| self.push(part));
    }

    fn primitive(&mut self, value: &Value<'js>) -> Result<(), Refusal> {
        if value.is_null() {
            self.push(b"null");
        } else if let Some(flag) = value.as_bool() {
            self.push(if flag { b"true" } else { b"false" });
        } else if let Some(int) = value.as_int() {
            self.push(int.to_string().as_bytes());
        } else if let Some(float) = value.as_float() {
            if !float.is_finite() {
                let form = self.odd(
                    "is not a finite number",
                    "a number that JSON does not know (NaN or Infinity) became null",
                )?;
                return self.write(match form {
                    Form::Marker(_) => Form::Absent(""),
                    other => other,
                });
            }
            raw::string_bytes(value, |text| self.push(text));
        } else {
            self.text(value)?;
        }
        Ok(())
    }

    /// A string or a big integer.
    fn text(&mut self, value: &Value<'js>) -> Result<(), Refusal> {
        if value.is_string() {
            let halves = raw::string_bytes(value, |bytes| {
                let (whole, halves) = text::well_formed(bytes);
                if !(halves && self.strict_mode()) {
                    self.quoted(&whole);
                }
                halves
            });
            if halves == Some(true) {
                self.odd(
                    "holds half of a surrogate pair",
                    "half of a surrogate pair became U+FFFD",
                )?;
            }
            return Ok(());
        }
        self.odd("is a BigInt; pass a number or a text", "a BigInt became a text")?;
        raw::string_bytes(value, |bytes| {
            self.push(b"\"");
            self.push(bytes);
            self.push(b"\"");
        });
        Ok(())
    }

    fn object(&mut self, value: &Value<'js>, kind: i32, origin: usize) -> Result<(), Refusal> {
        if let Some((_, length)) = self.parents.iter().find(|(parent, _)| *parent == origin) {
            let at = self.path[..*length].to_owned();
            self.odd(&format!("refers back to {at}"), "a cycle became a marker")?;
            self.quoted(format!("[circular: {at}]").as_bytes());
            return Ok(());
        }
        if self.parents.len() >= DEPTH_OUT {
            let form = self.odd("is nested too deeply", "nested more than 64 levels deep")?;
            return self.write(form);
        }
        self.parents.push((origin, self.path.len()));
        let done = if self.is_list(value, kind) { self.list(value) } else { self.members(value) };
        self.parents.pop();
        done
    }

    fn is_list(&self, value: &Value<'js>, kind: i32) -> bool {
        match kind {
            kind::ARRAY | kind::VIEW => true,
            kind::PROXY => natives::api(&self.ctx)
                .and_then(|api| api.get::<_, Function>("isArray").ok())
                .and_then(|check| check.call((value.clone(),)).ok())
                .unwrap_or_else(|| {
                    self.forget();
                    false
                }),
            _ => false,
        }
    }

    fn list(&mut self, value: &Value<'js>) -> Result<(), Refusal> {
        let Some(object) = value.as_object() else { return Ok(()) };
        let length = object.get::<_, f64>("length").unwrap_or_else(|_| {
            self.forget();
            0.0
        });
        self.push(b"[");
        for index in 0..length as u32 {
            if self.strict_mode() && self.size > self.limit {
                break;
            }
            if index > 0 {
                self.push(b",");
            }
            let before = self.path.len();
            self.path.push_str(&format!("[{index}]"));
            let item = object.get::<_, Value>(index);
            let form = self.member(item, &index.to_string())?;
            if let Form::Absent(what) = form
                && what != "undefined"
            {
                self.lost(what)?;
            }
            self.write(form)?;
            self.path.truncate(before);
        }
        self.push(b"]");
        Ok(())
    }

    fn members(&mut self, value: &Value<'js>) -> Result<(), Refusal> {
        let Some(object) = value.as_object() else { return Ok(()) };
        self.push(b"{");
        let mut first = true;
        for name in object.keys::<Atom>() {
            if self.strict_mode() && self.size > self.limit {
                break;
            }
            let Ok(name) = name else {
                self.forget();
                self.odd("threw while it was listed", "an object threw while it was listed")?;
                break;
            };
            let before = self.path.len();
            let Ok(key) = name.to_value() else { continue };
            let shown = raw::string_bytes(&key, |bytes| {
                String::from_utf8_lossy(&text::well_formed(bytes).0).into_owned()
            })
            .unwrap_or_default();
            step(&mut self.path, &shown);
            let form = self.member(object.get::<_, Value>(name), &shown)?;
            match form {
                Form::Absent("undefined") => {}
                Form::Absent(what) => self.lost(what)?,
                form => {
                    if !first {
                        self.push(b",");
                    }
                    first = false;
                    self.quoted(shown.as_bytes());
                    self.push(b":");
                    self.write(form)?;
                }
            }
            self.path.truncate(before);
        }
        self.push(b"}");
        Ok(())
    }

    fn member(
        &mut self,
        value: rquickjs::Result<Value<'js>>,
        key: &str,
    ) -> Result<Form<'js>, Refusal> {
        match value {
            Ok(value) => self.form(value, key),
            Err(_) => {
                self.forget();
                self.odd("threw while it was read", "a value threw while it was read")
            }
        }
    }

    fn lost(&mut self, what: &'static str) -> Result<(), Refusal> {
        if !self.strict_mode() {
            self.notice(if what == "a symbol" {
                "a symbol has no JSON form and was left out"
            } else {
                "a function has no JSON form and was left out"
            });
        }
        Ok(())
    }
}

/// A value that stands for itself.
fn found(value: Value<'_>, kind: i32) -> Form<'_> {
    let origin = raw::identity(&value);
    Form::Value(value, kind, origin)
}

/// Appends a name to a path.
fn step(path: &mut String, name: &str) {
    let plain = !name.is_empty()
        && !name.starts_with(|c: char| c.is_ascii_digit())
        && name.chars().all(|c| c == '_' || c == '$' || c.is_ascii_alphanumeric());
    let shown = short(name, NAME_CHARS);
    if plain {
        path.push('.');
        path.push_str(&shown);
    } else {
        path.push_str(&format!("[{shown:?}]"));
    }
}

fn short(text: &str, limit: usize) -> String {
    match text.char_indices().nth(limit) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

/// Ends the text at a whole character.
fn cut(mut json: Vec<u8>) -> Vec<u8> {
    let whole = match std::str::from_utf8(&json) {
        Ok(_) => json.len(),
        Err(error) => error.valid_up_to(),
    };
    json.truncate(whole);
    json
}
