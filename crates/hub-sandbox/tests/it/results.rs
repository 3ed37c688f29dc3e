//! Values on their way out and in.

use crate::support::each;
use serde_json::json;

#[test]
fn plain_values_are_exact() {
    each(|play| {
        for (code, json) in [
            ("return 1", "1"),
            ("return undefined", "null"),
            ("", "null"),
            ("return null", "null"),
            ("return -0", "0"),
            ("return [-0, 0.1, 1e21, 5e-324, 123456789012]", "[0,0.1,1e+21,5e-324,123456789012]"),
            (
                "return 'a\\u0000\\u001f\"\\\\/\\u2028é😀'",
                "\"a\\u0000\\u001f\\\"\\\\/\u{2028}é😀\"",
            ),
            (
                "return {b: 1, a: [true, false, null], 1: 2}",
                r#"{"1":2,"b":1,"a":[true,false,null]}"#,
            ),
            ("return {u: undefined, a: [undefined]}", r#"{"a":[null]}"#),
            ("return {['__proto__']: 1, constructor: 2}", r#"{"__proto__":1,"constructor":2}"#),
            ("return Object.create({inherited: 1})", "{}"),
            ("return new Number(3)", "3"),
            ("return [new String('x'), new Boolean(false)]", r#"["x",false]"#),
            ("return {toJSON() { return {x: 1} }}", r#"{"x":1}"#),
            ("return {a: {toJSON(key) { return key + '!' }}}", r#"{"a":"a!"}"#),
        ] {
            let ended = play.run(code);
            assert_eq!(ended.json(), json, "{code}");
            assert!(ended.notices().is_empty(), "{code}: {:?}", ended.notices());
            assert_eq!(ended.finish.unwrap().result_size, json.len(), "{code}");
        }
    });
}

#[test]
fn values_without_a_json_form_get_one_and_a_notice() {
    each(|play| {
        for (code, value, notice) in [
            ("return new Date(0)", json!("1970-01-01T00:00:00.000Z"), "$: a Date"),
            ("return {d: new Date(NaN)}", json!({"d": null}), "$.d: a Date"),
            (
                "return new Map([['k', 1], ['__proto__', 2]])",
                json!({"k": 1, "__proto__": 2}),
                "$: a Map",
            ),
            ("return new Map([[1, 2]])", json!([[1, 2]]), "$: a Map"),
            ("return [new Set([1, 'x'])]", json!([[1, "x"]]), "$[0]: a Set"),
            ("return 12345678901234567890n", json!("12345678901234567890"), "$: a BigInt"),
            ("return new Uint8Array([1, 2])", json!([1, 2]), "$: a typed array"),
            ("return new Uint8Array([1, 2]).buffer", json!([1, 2]), "$: a buffer"),
            ("return /a+/g", json!("/a+/g"), "$: a RegExp"),
            ("return NaN", json!(null), "$: a number that JSON"),
            ("return {'a b': Infinity}", json!({"a b": null}), "$[\"a b\"]: a number"),
            ("return {f() {}}", json!({}), "$.f: a function"),
            ("return {s: Symbol('q')}", json!({}), "$.s: a symbol"),
            ("return [() => 1]", json!([null]), "$[0]: a function"),
            ("return '\\ud83d'", json!("\u{fffd}"), "$: half of a surrogate"),
            (
                "const x = {n: 'a'}; x.self = x; return x",
                json!({"n": "a", "self": "[circular: $]"}),
                "$.self: a cycle",
            ),
            (
                "const x = {a: {}}; x.a.b = [x.a]; return x",
                json!({"a": {"b": ["[circular: $.a]"]}}),
                "a cycle",
            ),
            (
                "return {p: demo.echo({id: 1})}",
                json!({"p": {"id": 1}}),
                "$.p: a promise was awaited",
            ),
            (
                "return {p: new Promise(() => {})}",
                json!({"p": "[a promise that never settled]"}),
                "$.p: a promise that never",
            ),
            (
                "return {get x() { throw new Error('no') }, y: 1}",
                json!({"x": "[a value threw while it was read]", "y": 1}),
                "$.x: a value threw",
            ),
            (
                "return {x: {toJSON() { throw 1 }}}",
                json!({"x": "[toJSON threw]"}),
                "$.x: toJSON threw",
            ),
        ] {
            let ended = play.run(code);
            assert_eq!(ended.value(), value, "{code}");
            let notices = ended.notices();
            assert_eq!(notices.len(), 1, "{code}: {notices:?}");
            assert!(notices[0].contains(notice), "{code}: {notices:?}");
            assert!(ended.finish.unwrap().unhandled.is_empty(), "{code}");
        }
    });
}

#[test]
fn one_notice_stands_for_many_of_its_kind() {
    each(|play| {
        let ended = play.run("return Array.from({length: 50}, (_, i) => new Date(i))");
        assert_eq!(ended.notices(), ["$[0] (and 49 more): a Date became an ISO text"]);
    });
}

#[test]
fn one_bad_member_never_loses_the_others() {
    each(|play| {
        let ended = play.run(
            "class E extends Error { constructor(m) { super(m); this.name = 'E'; this.extra = 1 } }
             return { m: new Map([['k', new E('boom')]]), ok: 1,
               r: Promise.reject(new Error('late')), t: new ToolError('x', {code: 'denied'}) }",
        );
        let value = ended.value();
        assert_eq!(value["m"]["k"], json!({"name": "E", "message": "boom", "extra": 1}));
        assert_eq!(value["ok"], 1);
        assert_eq!(value["r"]["message"], "late");
        assert_eq!(value["t"]["code"], "denied");
        assert!(ended.finish.unwrap().unhandled.is_empty());
    });
}

#[test]
fn a_function_alone_is_no_result() {
    each(|play| {
        for code in ["return () => 1", "return Symbol('x')", "return demo.echo"] {
            let finish = play.run(code).finish.unwrap();
            assert_eq!(finish.result, None, "{code}");
            assert!(finish.not_serializable.is_some(), "{code}");
        }
    });
}

#[test]
fn depth_ends_at_64_levels() {
    each(|play| {
        let nest = |levels: usize| {
            format!("let x = 1; for (let i = 0; i < {levels}; i++) x = [x]; return x")
        };
        assert!(play.run(&nest(64)).notices().is_empty());
        let ended = play.run(&nest(65));
        assert!(ended.notices()[0].contains("nested more than 64"), "{:?}", ended.notices());
        play.run(&nest(100_000)).value();
    });
}

#[test]
fn a_long_result_is_cut_at_a_character_and_counted_whole() {
    each(|play| {
        let mut play = play.clone();
        play.limits.result_bytes = 10;
        let finish = play.run("return '😀'.repeat(1000)").finish.unwrap();
        assert_eq!(finish.result.as_deref(), Some("\"😀😀"));
        assert_eq!(finish.result_size, 4002);
        play.limits.result_bytes = 4002;
        let finish = play.run("return '😀'.repeat(1000)").finish.unwrap();
        assert_eq!(finish.result.unwrap().len(), 4002);
    });
}

#[test]
fn answers_arrive_as_plain_data() {
    each(|play| {
        let poison =
            r#"{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}},"a":1}"#;
        let ended = play.run_with(
            "const r = await demo.list({}); const o = Object.assign({}, r);
             return [({}).polluted, r.polluted, Object.keys(r), r.a, Object.hasOwn(r,
               '__proto__')]",
            |_| Some(Ok(poison.into())),
        );
        assert_eq!(ended.value(), json!([null, null, ["__proto__", "constructor", "a"], 1, true]));
    });
}

#[test]
fn integers_that_a_number_would_round_arrive_as_texts() {
    each(|play| {
        let answer = concat!(
            r#"{"small":9007199254740991,"big":9007199254740992,"neg":-12345678901234567890,"#,
            r#""text":"99999999999999999999","f":1e30,"list":[10000000000000000]}"#
        );
        let ended = play.run_with("return await demo.list({})", |_| Some(Ok(answer.into())));
        assert_eq!(
            ended.json(),
            r#"{"small":9007199254740991,"big":"9007199254740992","neg":"-12345678901234567890","text":"99999999999999999999","f":1e+30,"list":["10000000000000000"]}"#
        );
        assert_eq!(ended.notices().len(), 1);
        assert!(ended.notices()[0].contains("2^53"));
    });
}

#[test]
fn answers_that_cannot_be_read_are_failures() {
    each(|play| {
        let deep = |levels: usize| format!("{}{}", "[".repeat(levels), "]".repeat(levels));
        let code = "try { await demo.list({}); return 'ok' } catch (e) { return e.code }";
        for (answer, value) in [
            (deep(128), "ok"),
            (deep(129), "bad_response"),
            (deep(1_000_000), "bad_response"),
            ("{".into(), "bad_response"),
            ("".into(), "bad_response"),
            ("{\"a\":1}x".into(), "bad_response"),
            ("nul\0l".into(), "bad_response"),
            ("{555555555555555555555555:1}".into(), "bad_response"),
            ("{\"a\":1,-555555555555555555555555 \n: 1}".into(), "bad_response"),
        ] {
            let ended = play.run_with(code, |_| Some(Ok(answer.clone())));
            assert_eq!(ended.value(), value, "{}", &answer[..answer.len().min(20)]);
        }
    });
}

#[test]
fn eight_megabytes_go_through() {
    each(|play| {
        let text = "x".repeat((8 << 20) - 2);
        let ended = play.run_with("const t = await demo.list({}); return t.length", |_| {
            Some(Ok(format!("\"{text}\"")))
        });
        assert_eq!(ended.value(), (8 << 20) - 2);
    });
}

#[test]
fn reading_a_result_starts_nothing() {
    each(|play| {
        let ended = play.run(
            "return { get a() { demo.echo({late: 1}); setTimeout(() => {}, 1); return 1 }, b: 2 }",
        );
        assert!(ended.ops.is_empty());
        assert_eq!(ended.value()["b"], 2);
    });
}
