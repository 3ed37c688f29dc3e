//! Finds what a `$ref` names, inside the schema only: nothing is ever fetched or read.

use serde_json::Value;
use std::cell::OnceCell;
use std::collections::HashMap;

/// Levels walked when identifiers are gathered.
const DEPTH: usize = hub_core::limits::SCHEMA_DEPTH;

/// A place in a schema, and the embedded resource it belongs to.
#[derive(Clone, Copy, Debug)]
pub struct At<'a> {
    pub value: &'a Value,
    /// The nearest schema with an identifier of its own, or the root.
    pub resource: &'a Value,
}

impl At<'_> {
    /// What tells this place from every other of the same schema.
    pub fn key(&self) -> usize {
        std::ptr::from_ref(self.value).addr()
    }
}

/// Resolves references of one schema.
pub struct Resolver<'a> {
    root: &'a Value,
    names: OnceCell<Names<'a>>,
}

/// Identifiers by absolute form, and anchors by (resource, name).
#[derive(Default)]
struct Names<'a> {
    ids: HashMap<String, &'a Value>,
    bases: HashMap<usize, String>,
    anchors: HashMap<(usize, &'a str), At<'a>>,
}

impl<'a> Resolver<'a> {
    pub fn new(root: &'a Value) -> Self {
        Self { root, names: OnceCell::new() }
    }

    pub fn root(&self) -> At<'a> {
        At { value: self.root, resource: self.root }
    }

    /// Steps from `at` into `value`, one of its parts.
    pub fn step(at: At<'a>, value: &'a Value) -> At<'a> {
        let resource = if own_id(value).is_some() { value } else { at.resource };
        At { value, resource }
    }

    /// What `reference`, written at `at`, names; else why it names nothing.
    pub fn resolve(&self, at: At<'a>, reference: &str) -> Result<At<'a>, String> {
        let (uri, fragment) = reference.split_once('#').unwrap_or((reference, ""));
        let resource = if uri.is_empty() { at.resource } else { self.by_id(at, uri)? };
        let resource = At { value: resource, resource };
        let fragment = percent_decode(fragment);
        if fragment.is_empty() {
            return Ok(resource);
        }
        if let Some(pointer) = fragment.strip_prefix('/') {
            // Generators forget that an identifier moves the root: look there as well.
            return pointer_from(resource, pointer)
                .or_else(|| pointer_from(self.root(), pointer))
                .ok_or_else(|| format!("$ref {reference:?} names nothing in the schema"));
        }
        let names = self.names.get_or_init(|| self.gather());
        let key = std::ptr::from_ref(resource.value).addr();
        names
            .anchors
            .get(&(key, fragment.as_str()))
            .copied()
            .ok_or_else(|| format!("$ref {reference:?} names no anchor of the schema"))
    }

    fn by_id(&self, at: At<'a>, uri: &str) -> Result<&'a Value, String> {
        let names = self.names.get_or_init(|| self.gather());
        let key = std::ptr::from_ref(at.resource).addr();
        let base = names.bases.get(&key).map_or("", String::as_str);
        let found = names.ids.get(&join(base, uri)).or_else(|| names.ids.get(uri));
        found.copied().ok_or_else(|| format!("$ref {uri:?} lies outside of the schema"))
    }

    fn gather(&self) -> Names<'a> {
        let mut names = Names::default();
        let root = self.root();
        let base = own_id(self.root).map(|id| join("", id)).unwrap_or_default();
        if !base.is_empty() {
            names.ids.insert(base.clone(), self.root);
        }
        names.bases.insert(root.key(), base.clone());
        gather_into(&mut names, root, &base, 0);
        names
    }
}

fn gather_into<'a>(names: &mut Names<'a>, at: At<'a>, base: &str, depth: usize) {
    if depth > DEPTH {
        return;
    }
    match at.value {
        Value::Object(map) => {
            let resource = std::ptr::from_ref(at.resource).addr();
            for keyword in ["$anchor", "$dynamicAnchor"] {
                if let Some(Value::String(name)) = map.get(keyword) {
                    names.anchors.entry((resource, name)).or_insert(at);
                }
            }
            let legacy = map.get("$id").or_else(|| map.get("id")).and_then(Value::as_str);
            if let Some(name) = legacy.and_then(|id| id.strip_prefix('#')) {
                names.anchors.entry((resource, name)).or_insert(at);
            }
            for part in map.values() {
                gather_part(names, at, part, base, depth);
            }
        }
        Value::Array(parts) => {
            for part in parts {
                gather_part(names, at, part, base, depth);
            }
        }
        _ => {}
    }
}

fn gather_part<'a>(names: &mut Names<'a>, at: At<'a>, part: &'a Value, base: &str, depth: usize) {
    let next = Resolver::step(at, part);
    match own_id(part) {
        Some(id) => {
            let own = join(base, id);
            names.bases.insert(next.key(), own.clone());
            names.ids.entry(own.clone()).or_insert(part);
            gather_into(names, next, &own, depth + 1);
        }
        None => gather_into(names, next, base, depth + 1),
    }
}

/// The identifier that makes `value` a resource of its own.
fn own_id(value: &Value) -> Option<&str> {
    let map = value.as_object()?;
    let id = match map.get("$id") {
        Some(id) => id.as_str()?,
        // Before draft 6 the keyword was `id`; a mere property of that name holds no URI.
        None => map.get("id")?.as_str().filter(|id| id.contains(['/', ':']))?,
    };
    let id = id.trim_end_matches('#');
    (!id.is_empty() && !id.starts_with('#')).then_some(id)
}

fn pointer_from<'a>(from: At<'a>, pointer: &str) -> Option<At<'a>> {
    pointer.split('/').try_fold(from, |at, token| {
        let token = token.replace("~1", "/").replace("~0", "~");
        let part = match at.value {
            Value::Object(map) => map.get(&token)?,
            Value::Array(parts) => parts.get(token.parse::<usize>().ok()?)?,
            _ => return None,
        };
        Some(Resolver::step(at, part))
    })
}

/// `reference` against `base`: as much of RFC 3986 as identifiers in schemas use.
fn join(base: &str, reference: &str) -> String {
    let reference = reference.split('#').next().unwrap_or_default();
    let has_scheme = reference.split_once(':').is_some_and(|(scheme, _)| {
        !scheme.is_empty() && scheme.chars().all(|c| c.is_ascii_alphanumeric() || "+-.".contains(c))
    });
    if has_scheme || base.is_empty() {
        return reference.to_owned();
    }
    let path_at = base
        .find("://")
        .map_or(0, |at| base[at + 3..].find('/').map_or(base.len(), |slash| at + 3 + slash));
    if reference.starts_with('/') {
        return format!("{}{reference}", &base[..path_at]);
    }
    let folder = base[path_at..].rfind('/').map_or(path_at, |slash| path_at + slash + 1);
    let slash = if folder == base.len() && !base.ends_with('/') && path_at > 0 { "/" } else { "" };
    format!("{}{slash}{}", &base[..folder], reference.trim_start_matches("./"))
}

fn percent_decode(text: &str) -> String {
    if !text.contains('%') {
        return text.to_owned();
    }
    let bytes = text.as_bytes();
    let mut out = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while at < bytes.len() {
        let hex = bytes.get(at + 1..at + 3).and_then(|hex| std::str::from_utf8(hex).ok());
        match (bytes[at], hex.and_then(|hex| u8::from_str_radix(hex, 16).ok())) {
            (b'%', Some(byte)) => {
                out.push(byte);
                at += 3;
            }
            (byte, _) => {
                out.push(byte);
                at += 1;
            }
        }
    }
    String::from_utf8_lossy(&out).into_owned()
}
