//! Errors: where they are, and that no stack shows anything but the program.

use crate::support::each;
use hub_core::ports::GuestFault;
use serde_json::json;

#[test]
fn an_uncaught_error_has_its_place() {
    each(|play| {
        for (code, name, message, line, column) in [
            ("throw new Error('x')", "Error", "x", 1, 11),
            ("const a = 1;\n  null.b", "TypeError", "cannot read property 'b' of null", 2, 3),
            ("\n\nnope", "ReferenceError", "nope is not defined", 3, 1),
            ("await demo.list({});\nthrow new RangeError('r')", "RangeError", "r", 2, 11),
            ("function f() {\n  throw new Error('in')\n}\nf()", "Error", "in", 2, 13),
        ] {
            let ended = play.run(code);
            let error = ended.error();
            assert_eq!((error.name.as_str(), error.message.as_str()), (name, message), "{code}");
            assert_eq!(error.line, Some(line), "{code}");
            assert_eq!(error.column, Some(column), "{code}");
        }
    });
}

#[test]
fn an_uncaught_tool_error_keeps_its_fields_and_the_line_of_the_call() {
    each(|play| {
        let ended = play.run("const a = 1;\nawait demo.fail({})");
        let error = ended.error();
        assert_eq!(error.line, Some(2));
        let tool = error.tool.as_ref().unwrap();
        assert_eq!(tool.code.as_str(), "tool_failed");
        assert_eq!(tool.address.as_deref(), Some("demo.fail"));
        assert_eq!(tool.hint.as_deref(), Some("look it up first"));
        assert_eq!(tool.message, "no such repo");
    });
}

#[test]
fn anything_can_be_thrown() {
    each(|play| {
        for (thrown, message) in [
            ("'text'", "text"),
            ("42", "42"),
            ("null", "null"),
            ("undefined", "undefined"),
            ("{a: 1}", "{a: 1}"),
            ("Symbol('s')", "Symbol(s)"),
            ("() => 1", "[Function]"),
            (
                "new Proxy({}, {get() { throw 1 }, getOwnPropertyDescriptor() { throw 1 }})",
                "[Proxy]",
            ),
            (
                "{get message() { throw 1 }, get name() { throw 1 }}",
                "{message: [Getter], name: [Getter]}",
            ),
            ("Object.assign(new Error('m'), {name: {}})", "m"),
            ("new (class extends Error { get message() { return 'got' } })", "got"),
        ] {
            let ended = play.run(&format!("throw {thrown}"));
            assert_eq!(ended.error().message, message, "{thrown}");
        }
    });
}

#[test]
fn syntax_errors_say_where() {
    each(|play| {
        for (code, line) in [
            ("const a = 1;\nconst b = {;\nreturn a;", 2),
            ("let x = ;", 1),
            ("\n\nreturn 'open", 3),
            ("import x from 'y'", 1),
            ("with ({}) {}", 1),
        ] {
            let ended = play.run(code);
            let GuestFault::Syntax { message, line: at, column } = ended.fault() else {
                panic!("{code}: {ended:?}")
            };
            assert!(message.starts_with("SyntaxError: "), "{code}: {message}");
            assert_eq!(*at, Some(line), "{code}");
            assert!(column.is_some(), "{code}");
        }
    });
}

#[test]
fn no_stack_shows_a_frame_of_ours() {
    each(|play| {
        let ended = play.run(
            "const stacks = [];
             const grab = (f) => { try { f() } catch (e) { stacks.push(e.stack) } };
             grab(() => demo.nope());
             grab(() => setTimeout(1));
             grab(() => crypto.getRandomValues(1));
             grab(() => structuredClone(Symbol()));
             grab(() => [1].map(() => { throw new Error('x') }));
             grab(() => JSON.parse('{'));
             grab(() => atob('!'));
             grab(() => new Function('1'));
             await demo.fail({}).catch((e) => stacks.push(e.stack));
             await demo.echo({n: 1n}).catch((e) => stacks.push(e.stack));
             await new Promise((done) => setTimeout(() => { stacks.push(new Error('t').stack);
               done() }));
             await new Promise((done) => queueMicrotask(() => {
               stacks.push(new Error('q').stack); done() }));
             structuredClone({ get x() { stacks.push(new Error('g').stack); return 1 } });
             await demo.echo({ toJSON() { stacks.push(new Error('j').stack); return {} } });
             return stacks",
        );
        let value = ended.value();
        let stacks = value.as_array().unwrap();
        assert_eq!(stacks.len(), 14);
        for stack in stacks {
            let stack = stack.as_str().unwrap();
            assert!(!stack.is_empty());
            for line in stack.lines() {
                assert!(line.starts_with("    at ") && line.contains("program:"), "{stack}");
                assert!(!line.contains("native") && !line.contains("prelude"), "{stack}");
            }
        }
    });
}

#[test]
fn stacks_cannot_be_bent() {
    each(|play| {
        let ended = play.run(
            "const r = [Error.prepareStackTrace, Error.captureStackTrace, Error.stackTraceLimit];
             Error.prepareStackTrace = () => 'mine';
             r.push(typeof new Error('x').stack, new Error('x').stack.includes('program:'));
             return r",
        );
        assert_eq!(ended.value(), json!([null, null, null, "string", true]));
    });
}

#[test]
fn a_program_may_subclass_and_rename_errors() {
    each(|play| {
        let ended = play.run(
            "class Mine extends Error { constructor(m) { super(m); this.name = 'Mine'; this.code = 7 } }
             class Deep extends ToolError { constructor() { super('d', {code: 'timeout'});
               this.name = 'Deep' } }
             try { throw new Mine('m') } catch (e) {
               const d = new Deep();
               return [e.name, e.code, e instanceof Mine, d.name, d.code,
                 d instanceof ToolError] }",
        );
        assert_eq!(ended.value(), json!(["Mine", 7, true, "Deep", "timeout", true]));
    });
}
