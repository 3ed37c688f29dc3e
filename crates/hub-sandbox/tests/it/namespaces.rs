//! The objects of tools.

use crate::support::each;
use serde_json::json;

#[test]
fn a_namespace_is_a_frozen_object_that_tells_the_truth() {
    each(|play| {
        for (code, value) in [
            ("Object.isFrozen(demo)", json!(true)),
            ("Object.keys(demo)", json!(["createIssue", "echo", "fail", "list", "listIssues"])),
            ("'echo' in demo", json!(true)),
            ("'nope' in demo", json!(false)),
            ("Object.hasOwn(demo, 'echo')", json!(true)),
            ("demo.hasOwnProperty('nope')", json!(false)),
            ("Object.hasOwn(demo, 'nope')", json!(false)),
            ("typeof demo.echo", json!("function")),
            ("typeof demo.nope", json!("undefined")),
            ("demo.nope === undefined", json!(true)),
            ("demo.then === undefined", json!(true)),
            ("demo?.nope?.()", json!(null)),
            ("demo.echo.name", json!("echo")),
            ("demo === globalThis.demo", json!(true)),
            ("demo === globalThis['de' + 'mo']", json!(true)),
            ("Object.keys(globalThis).sort()", json!(["demo", "other"])),
            ("typeof demo['create-issue']", json!("function")),
            ("demo['list-issues'].name", json!("listIssues")),
            ("(await demo) === demo", json!(true)),
            ("`${typeof String(demo)}`", json!("string")),
            ("Object.keys(other)", json!(["echo", "ring", "ring_2"])),
            ("JSON.stringify(demo)", json!("{}")),
        ] {
            assert_eq!(play.run(&format!("return {code}")).value(), value, "{code}");
        }
    });
}

/// Functions are made when they are asked for; nothing of that may show.
#[test]
fn a_namespace_is_told_from_no_other_frozen_object() {
    each(|play| {
        let names = json!(["createIssue", "echo", "fail", "list", "listIssues"]);
        for (code, value) in [
            ("demo.echo === demo.echo && demo['list-issues'] === demo.listIssues", json!(true)),
            ("Object.isFrozen(demo.echo) && Object.isSealed(demo)", json!(true)),
            ("Object.isExtensible(demo)", json!(false)),
            (
                "Object.entries(demo).map(([k, f]) => k + f.name.length)",
                json!(["createIssue11", "echo4", "fail4", "list4", "listIssues10"]),
            ),
            ("const out = []; for (const k in demo) out.push(k); return out", names.clone()),
            ("Object.keys({ ...demo })", names.clone()),
            ("Object.keys(Object.assign({}, demo))", names.clone()),
            ("const { echo, ...rest } = demo; return Object.keys(rest).length", json!(4)),
            ("Reflect.ownKeys(demo).slice(0, 5)", names.clone()),
            (
                "Object.getOwnPropertyNames(demo).length === Reflect.ownKeys(demo).length",
                json!(true),
            ),
            ("Object.getOwnPropertySymbols(demo)", json!([])),
            ("new Set(Reflect.ownKeys(demo)).size === Reflect.ownKeys(demo).length", json!(true)),
            ("Symbol('echo') in demo || Symbol.for('echo') in demo", json!(false)),
            ("demo[Symbol('echo')] === undefined && demo[0] === undefined", json!(true)),
            (
                "Object.values(Object.getOwnPropertyDescriptor(demo, 'echo')).slice(1)",
                json!([false, true, false]),
            ),
            ("Object.getOwnPropertyDescriptor(demo, 'list-issues').enumerable", json!(false)),
            ("Object.getOwnPropertyDescriptor(demo, 'nope') === undefined", json!(true)),
            ("Object.keys(Object.getOwnPropertyDescriptors(demo)).length > 5", json!(true)),
            ("Object.freeze(demo) === demo && Object.seal(demo) === demo", json!(true)),
            ("Reflect.defineProperty(demo, 'echo', {})", json!(true)),
            ("Reflect.defineProperty(demo, 'echo', { value: demo.echo })", json!(true)),
            ("Reflect.defineProperty(demo, 'echo', { value: demo.list })", json!(false)),
            ("Reflect.defineProperty(demo, 'echo', { value: 1 })", json!(false)),
            ("Reflect.defineProperty(demo, 'fail', { value: undefined })", json!(false)),
            ("Reflect.defineProperty(demo, 'echo', { writable: true })", json!(false)),
            ("Reflect.defineProperty(demo, 'echo', { enumerable: false })", json!(false)),
            ("Reflect.defineProperty(demo, 'echo', { configurable: true })", json!(false)),
            ("Reflect.defineProperty(demo, 'echo', { get() {} })", json!(false)),
            ("Reflect.defineProperty(demo, 'nope', { value: 1 })", json!(false)),
            ("Reflect.deleteProperty(demo, 'echo')", json!(false)),
            ("Reflect.deleteProperty(demo, 'nope')", json!(true)),
            ("Reflect.set(demo, 'echo', 1)", json!(false)),
            ("Reflect.set({}, 'echo', 1, demo)", json!(false)),
            ("Reflect.setPrototypeOf(demo, null)", json!(false)),
            ("Object.prototype.toString.call(demo)", json!("[object Object]")),
            ("new WeakMap([[demo, 1]]).get(demo)", json!(1)),
            ("const o = Object.create(demo); return o.echo === demo.echo", json!(true)),
            ("try { structuredClone(demo) } catch (e) { return typeof e.name }", json!("string")),
            ("demo", json!({})),
            ("let n = 0; for (let i = 0; i < 99; i++) n += 'k' + i in demo; return n", json!(0)),
            ("let n = 0; for (let i = 0; i < 99; i++) n += 'echo' in demo; return n", json!(99)),
        ] {
            let code =
                if code.contains("return") { code.to_owned() } else { format!("return {code}") };
            assert_eq!(play.run(&code).value(), value, "{code}");
        }
    });
}

#[test]
fn the_raw_name_calls_the_same_tool() {
    each(|play| {
        let ended = play.run("return await demo['demo_list']({})");
        assert_eq!(ended.value()["items"][0]["id"], 1);
        assert!(format!("{:?}", ended.ops).contains("demo.list"));
    });
}

#[test]
fn a_raw_name_never_hides_a_tool_and_may_be_any_text() {
    each(|play| {
        let ended = play.run(
            "await other['__proto__']({}); await other.ring({}); await other['ring']({});
             await other.ring_2({}); return Object.hasOwn(other, '__proto__')",
        );
        assert_eq!(ended.value(), true);
        let called: Vec<String> = ended.ops.iter().map(|op| format!("{op:?}")).collect();
        for (op, tool) in called.iter().zip(["ring", "ring", "ring", "ring_2"]) {
            assert!(op.contains(&format!("\"other.{tool}\"")), "{op}");
        }
    });
}

#[test]
fn nothing_of_ours_can_be_changed() {
    each(|play| {
        for code in [
            "demo.x = 1",
            "demo.echo = 1",
            "delete demo.echo",
            "globalThis.demo = {}",
            "delete globalThis.demo",
            "Object.defineProperty(demo, 'echo', {value: 1})",
            "Object.setPrototypeOf(demo, {})",
            "Object.getPrototypeOf(demo).x = 1",
            "hub.search = 1",
            "globalThis.hub = 1",
            "console.log = 1",
            "ToolError.prototype.x = 1",
            "crypto.randomUUID = 1",
            "globalThis.setTimeout = 1",
            "demo.echo.call = 1",
            "TextEncoder.prototype.encode = 1",
            "TextEncoder.prototype.encode.x = 1",
            "hub.search.x = 1",
            "console.log.call = 1",
            "performance.now.x = 1",
            "Object.getOwnPropertyDescriptor(TextDecoder.prototype, 'fatal').get.x = 1",
            "Object.getOwnPropertyDescriptor(globalThis, 'demo').get.x = 1",
        ] {
            let ended = play.run(&format!("try {{ {code} }} catch (e) {{ return e.name }}"));
            assert_eq!(ended.value(), "TypeError", "{code}");
        }
    });
}

#[test]
fn an_unknown_tool_is_named_with_the_closest() {
    each(|play| {
        for (code, says) in [
            ("demo.createIsue({})", "demo has no tool createIsue; closest: createIssue"),
            ("await demo.createIsue({a: 1})", "demo has no tool createIsue; closest: createIssue"),
            ("demo['create_isue']({})", "demo has no tool create_isue; closest: createIssue"),
            ("demo.issues()", "demo has no tool issues; closest: listIssues"),
            ("const gh = demo; gh.lst({})", "demo has no tool lst; closest: list"),
            ("const { ecko } = demo; ecko({})", "demo has no tool ecko; closest: echo"),
            ("demo.zzzzzzzz()", "demo has no tool zzzzzzzz"),
            ("const f = (x) => { return x\n .echoo({}) }; f(demo)", "demo has no tool echoo"),
        ] {
            let ended = play.run(code);
            let error = ended.error();
            assert_eq!(error.name, "TypeError", "{code}");
            assert!(error.message.starts_with(says), "{code}: {}", error.message);
            assert_eq!(error.code.as_deref(), Some("unknown_tool"), "{code}");
            assert!(ended.ops.is_empty());
        }
    });
}

#[test]
fn other_calls_of_nothing_say_what_was_called() {
    each(|play| {
        for (code, says) in [
            ("const x = {a: {}}; x.a.b(1)", "x.a.b is not a function"),
            ("let q; q()", "q is not a function"),
            ("const o = {}; o.list()", "o.list is not a function"),
        ] {
            let ended = play.run(code);
            assert_eq!(ended.error().message, says, "{code}");
            assert_eq!(ended.error().code, None, "{code}");
        }
    });
}
