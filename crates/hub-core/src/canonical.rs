//! Canonical JSON (RFC 8785, JCS) and the checks a value passes before it is digested and sent.

use crate::limits;
use serde_json::Value;

/// Why a value cannot be sent.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotCanonical {
    /// Nested deeper than the limit.
    #[error("the arguments are nested deeper than {0} levels; send a flatter value")]
    TooDeep(usize),
    /// Not JSON at all, or with something JSON cannot say.
    #[error("the arguments are not valid JSON: {0}")]
    Invalid(String),
    /// The same key twice in one object.
    #[error("the key {0:?} stands twice in one object; keep one of them")]
    DuplicateKey(String),
}

/// Parses `text` strictly: lone surrogates, duplicate keys, non-finite numbers and more than
/// [`limits::JSON_DEPTH_OUT`] levels are refused.
pub fn parse_strict(text: &str) -> Result<Value, NotCanonical> {
    check_depth(text, limits::JSON_DEPTH_OUT)?;
    let mut reader = serde_json::Deserializer::from_str(text);
    let value = strict::value(&mut reader)?;
    reader.end().map_err(|e| NotCanonical::Invalid(e.to_string()))?;
    Ok(value)
}

/// Refuses `text` when its brackets, outside strings, nest deeper than `max`.
pub fn check_depth(text: &str, max: usize) -> Result<(), NotCanonical> {
    let (mut depth, mut in_string, mut escaped) = (0usize, false, false);
    for byte in text.bytes() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if in_string => escaped = true,
            b'"' => in_string = !in_string,
            b'[' | b'{' if !in_string => {
                depth += 1;
                if depth > max {
                    return Err(NotCanonical::TooDeep(max));
                }
            }
            b']' | b'}' if !in_string => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    Ok(())
}

/// The canonical text of `value`: keys sorted by UTF-16 code units, numbers as ECMAScript
/// prints them, no white space (RFC 8785 §3.2). `value` is at most as deep as what
/// [`parse_strict`] lets through.
pub fn to_jcs(value: &Value) -> String {
    let mut out = String::new();
    write(value, &mut out);
    out
}

fn write(value: &Value, out: &mut String) {
    match value {
        Value::Object(map) => {
            let mut entries: Vec<_> = map.iter().collect();
            entries.sort_by(|a, b| a.0.encode_utf16().cmp(b.0.encode_utf16()));
            out.push('{');
            for (i, (key, item)) in entries.into_iter().enumerate() {
                if i > 0 {
                    out.push(',');
                }
                write_string(key, out);
                out.push(':');
                write(item, out);
            }
            out.push('}');
        }
        Value::Array(items) => {
            out.push('[');
            for (i, item) in items.iter().enumerate() {
                if i > 0 {
                    out.push(',');
                }
                write(item, out);
            }
            out.push(']');
        }
        Value::Number(n) => write_number(n, out),
        Value::String(s) => write_string(s, out),
        Value::Bool(b) => out.push_str(if *b { "true" } else { "false" }),
        Value::Null => out.push_str("null"),
    }
}

fn write_string(text: &str, out: &mut String) {
    // serde_json escapes exactly what RFC 8785 §3.2.2.2 asks for.
    out.push_str(&Value::from(text).to_string());
}

/// ECMAScript's Number::toString for a finite double (RFC 8785 §3.2.2.3).
fn write_number(number: &serde_json::Number, out: &mut String) {
    let exact = number.as_i64().is_some_and(|i| i.unsigned_abs() <= (1 << 53));
    if exact {
        out.push_str(&number.to_string());
        return;
    }
    let Some(float) = number.as_f64() else {
        out.push_str(&number.to_string());
        return;
    };
    if float == 0.0 {
        out.push('0');
        return;
    }
    // `{:e}` gives the shortest digits that read back as the same double.
    let text = format!("{float:e}");
    let (mantissa, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    let (sign, mantissa) = match mantissa.strip_prefix('-') {
        Some(rest) => ("-", rest),
        None => ("", mantissa),
    };
    let digits: String = mantissa.chars().filter(|c| *c != '.').collect();
    out.push_str(sign);
    let count = digits.len() as i32;
    let point = exponent + 1;
    if count <= point && point <= 21 {
        out.push_str(&digits);
        out.extend(std::iter::repeat_n('0', (point - count) as usize));
    } else if 0 < point && point <= 21 {
        out.push_str(&digits[..point as usize]);
        out.push('.');
        out.push_str(&digits[point as usize..]);
    } else if -6 < point && point <= 0 {
        out.push_str("0.");
        out.extend(std::iter::repeat_n('0', -point as usize));
        out.push_str(&digits);
    } else {
        out.push_str(&digits[..1]);
        if count > 1 {
            out.push('.');
            out.push_str(&digits[1..]);
        }
        let e = point - 1;
        out.push('e');
        out.push(if e < 0 { '-' } else { '+' });
        out.push_str(&e.abs().to_string());
    }
}

/// A reader that refuses a key that stands twice.
mod strict {
    use super::NotCanonical;
    use serde::de::{DeserializeSeed, Deserializer, Error, MapAccess, SeqAccess, Visitor};
    use serde_json::{Map, Number, Value};
    use std::fmt;

    const DUPLICATE: &str = "duplicate key ";

    pub fn value<'de, R: serde_json::de::Read<'de>>(
        reader: &mut serde_json::Deserializer<R>,
    ) -> Result<Value, NotCanonical> {
        Strict.deserialize(reader).map_err(|error| {
            let text = error.to_string();
            match text.strip_prefix(DUPLICATE).and_then(|t| t.split(" at line").next()) {
                Some(key) => NotCanonical::DuplicateKey(key.to_owned()),
                None => NotCanonical::Invalid(text),
            }
        })
    }

    struct Strict;

    impl<'de> DeserializeSeed<'de> for Strict {
        type Value = Value;
        fn deserialize<D: Deserializer<'de>>(self, d: D) -> Result<Value, D::Error> {
            d.deserialize_any(self)
        }
    }

    impl<'de> Visitor<'de> for Strict {
        type Value = Value;
        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("a JSON value")
        }
        fn visit_bool<E>(self, v: bool) -> Result<Value, E> {
            Ok(v.into())
        }
        fn visit_i64<E>(self, v: i64) -> Result<Value, E> {
            Ok(v.into())
        }
        fn visit_u64<E>(self, v: u64) -> Result<Value, E> {
            Ok(v.into())
        }
        fn visit_f64<E: Error>(self, v: f64) -> Result<Value, E> {
            let number = Number::from_f64(v).ok_or_else(|| E::custom("a number is not finite"))?;
            Ok(number.into())
        }
        fn visit_str<E>(self, v: &str) -> Result<Value, E> {
            Ok(v.into())
        }
        fn visit_unit<E>(self) -> Result<Value, E> {
            Ok(Value::Null)
        }
        fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Value, A::Error> {
            let mut items = Vec::new();
            while let Some(item) = seq.next_element_seed(Strict)? {
                items.push(item);
            }
            Ok(items.into())
        }
        fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Value, A::Error> {
            let mut map = Map::new();
            while let Some(key) = entries.next_key::<String>()? {
                if map.contains_key(&key) {
                    return Err(A::Error::custom(format_args!("{DUPLICATE}{key}")));
                }
                let item = entries.next_value_seed(Strict)?;
                map.insert(key, item);
            }
            Ok(map.into())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn jcs(text: &str) -> String {
        to_jcs(&parse_strict(text).unwrap())
    }

    #[test]
    fn numbers_print_as_ecmascript_does() {
        // Samples of RFC 8785 appendix B.
        for (input, want) in [
            ("0", "0"),
            ("-0.0", "0"),
            ("5e-324", "5e-324"),
            ("1.7976931348623157e308", "1.7976931348623157e+308"),
            ("9007199254740992", "9007199254740992"),
            ("295147905179352830000", "295147905179352830000"),
            ("1e21", "1e+21"),
            ("1e23", "1e+23"),
            ("0.000001", "0.000001"),
            ("1e-7", "1e-7"),
            ("333333333.33333329", "333333333.3333333"),
            ("4.50", "4.5"),
            ("-1.5e-10", "-1.5e-10"),
        ] {
            assert_eq!(jcs(input), want, "{input}");
        }
    }

    #[test]
    fn keys_sort_by_utf16_units() {
        assert_eq!(
            jcs(r#"{"b":1,"a":[true,null],"é":"\n"}"#),
            r#"{"a":[true,null],"b":1,"é":"\n"}"#
        );
        assert_eq!(jcs("{\"\u{ffff}\":1,\"\u{1f600}\":2}"), "{\"\u{1f600}\":2,\"\u{ffff}\":1}");
    }

    #[test]
    fn what_cannot_be_sent_is_refused() {
        assert_eq!(
            parse_strict(r#"{"a":{"b":1,"b":2}}"#),
            Err(NotCanonical::DuplicateKey("b".into()))
        );
        assert!(matches!(parse_strict(r#""\ud800""#), Err(NotCanonical::Invalid(_))));
        assert!(matches!(parse_strict("1e999"), Err(NotCanonical::Invalid(_))));
        let edge = |n: usize| format!("{}{}", "[".repeat(n), "]".repeat(n));
        assert!(parse_strict(&edge(limits::JSON_DEPTH_OUT)).is_ok());
        assert_eq!(
            parse_strict(&edge(limits::JSON_DEPTH_OUT + 1)),
            Err(NotCanonical::TooDeep(limits::JSON_DEPTH_OUT))
        );
    }
}
