//! One guest: a realm without evaluation, a second one that only compiles, and the prelude.

use crate::encode::Encoder;
use crate::host::{self, Say};
use crate::raw::{self, Settled};
use crate::start::Start;
use crate::{PRELUDE, natives, random::Random, spaces, text};
use rquickjs::allocator::RustAllocator;
use rquickjs::context::intrinsic as with;
use rquickjs::function::Args;
use rquickjs::{Array, Context, Ctx, Exception, Function, Object, Persistent, Runtime, Value};

/// What the program's realm has. No evaluation, no weak references, no clock of its own.
type Realm = (
    with::Date,
    with::RegExpCompiler,
    with::RegExp,
    with::Json,
    with::Proxy,
    with::MapSet,
    with::TypedArrays,
    with::Promise,
);

/// What the compiling realm has; no program ever runs in it.
type Compiler = (with::Eval, with::RegExpCompiler);

/// Name of the program in stacks.
const PROGRAM: &str = "program";
/// Two lines go before the program, so that its own first line is line 1.
const FIRST_LINE: i32 = -1;

/// Told when an answer held integers that a number would round.
const WIDENED: &str = "integers beyond 2^53 in answers were given to the program as texts";

/// A guest. The fields are dropped in this order: values, contexts, runtime.
pub struct Vm {
    main: Option<Persistent<Value<'static>>>,
    settled: bool,
    compiler: Context,
    realm: Context,
    runtime: Runtime,
}

type Api = Persistent<Object<'static>>;

impl Vm {
    /// A realm with the prelude in it.
    pub fn new() -> Result<Self, String> {
        let runtime = Runtime::new_with_alloc(RustAllocator).map_err(|e| e.to_string())?;
        // The stack ends at the wall outside the engine; a limit inside could be caught.
        runtime.set_max_stack_size(0);
        let compiler = Context::custom::<Compiler>(&runtime).map_err(|e| e.to_string())?;
        let realm = Context::custom::<Realm>(&runtime).map_err(|e| e.to_string())?;
        let vm = Self { main: None, settled: false, compiler, realm, runtime };
        vm.realm.with(|ctx| spaces::register(&ctx))?;
        let code = vm.compile("prelude", 1, PRELUDE, true)?;
        let api = vm.realm.with(|ctx| -> Result<Api, String> {
            let failed = |_| complaint(&ctx).message;
            let prelude = raw::run(&ctx, &code).ok_or("the prelude did not load")?;
            let prelude = prelude.into_function().ok_or("the prelude is no function")?;
            let object = natives::object(&ctx).map_err(failed)?;
            let api: Object = prelude.call((object,)).map_err(failed)?;
            Ok(Persistent::save(&ctx, api))
        })?;
        natives::with(|state| state.api = Some(api));
        vm.runtime.set_host_promise_rejection_tracker(Some(Box::new(
            |ctx, promise, reason, handled| natives::rejection(&ctx, promise, reason, handled),
        )));
        vm.runtime.run_gc();
        Ok(vm)
    }

    fn compile(&self, name: &str, line: i32, source: &str, strip: bool) -> Result<Vec<u8>, String> {
        self.compiler.with(|ctx| {
            raw::compile(&ctx, name, line, source, strip).ok_or_else(|| complaint(&ctx).json())
        })
    }

    /// Runs the program to its first rest.
    pub fn start(&mut self, start: &Start<'_>) {
        natives::with(|state| {
            state.random = Random::new(start.seed);
            state.argument_bytes = start.argument_bytes as usize;
        });
        let source = format!("(async () => {{\n\n{}\n}})", start.program);
        let code = match self.compile(PROGRAM, FIRST_LINE, &source, false) {
            Ok(code) => code,
            Err(error) => return host::say(Say::Syntax, 0, error.as_bytes()),
        };
        let main = self.realm.with(|ctx| -> Result<Persistent<Value<'static>>, String> {
            let failed = |_| complaint(&ctx).message;
            let api = natives::api(&ctx).ok_or("no prelude")?;
            let begin: Function = api.get("begin").map_err(failed)?;
            let names = raw::new_string(&ctx, start.namespaces.as_bytes());
            let program = raw::new_string(&ctx, start.program.as_bytes());
            begin.call::<_, ()>((start.clock, start.log_bytes, names, program)).map_err(failed)?;
            let main = raw::run(&ctx, &code).and_then(Value::into_function);
            let main = main.ok_or("the program is no function")?;
            let promise: Value = main.call(()).map_err(failed)?;
            natives::with(|state| state.main = Some(raw::identity(&promise)));
            // It may be rejected already; what becomes of main is told in its own way.
            natives::forget_rejection(&promise);
            Ok(Persistent::save(&ctx, promise))
        });
        match main {
            Ok(main) => self.main = Some(main),
            Err(message) => return host::say(Say::Broken, 0, message.as_bytes()),
        }
        self.rest();
    }

    /// Gives the answer of operation `n` and runs to the next rest.
    pub fn settle(&mut self, n: u32, ok: bool, json: &[u8], at: f64) {
        self.realm.with(|ctx| {
            let (ok, value) = answer(&ctx, ok, json);
            let Some(api) = natives::api(&ctx) else { return };
            let Ok(settle) = api.get::<_, Function>("settle") else { return };
            if settle.call::<_, ()>((n, ok, value, at)).is_err() {
                ctx.catch();
            }
        });
        self.rest();
    }

    /// Fires a timer and runs to the next rest.
    pub fn fire(&mut self, timer: u32, at: f64) {
        self.realm.with(|ctx| {
            let Some(api) = natives::api(&ctx) else { return };
            let Ok(fire) = api.get::<_, Function>("fire") else { return };
            let Ok(Some(entry)) = fire.call::<_, Option<Object>>((timer, at)) else { return };
            if let Err(rquickjs::Error::Exception) = call_back(&ctx, &entry) {
                let reason = ctx.catch();
                natives::uncaught(&ctx, reason);
            }
        });
        self.rest();
    }

    /// Runs all jobs, then says whether main has settled.
    fn rest(&mut self) {
        loop {
            match self.runtime.execute_pending_job() {
                Ok(true) => {}
                Ok(false) => break,
                Err(_) => self.realm.with(|ctx| {
                    let reason = ctx.catch();
                    natives::uncaught(&ctx, reason);
                }),
            }
        }
        let Some(main) = self.main.clone() else { return };
        if self.settled {
            return;
        }
        self.settled = self.realm.with(|ctx| {
            let Ok(promise) = main.restore(&ctx) else { return false };
            match raw::settled(&promise) {
                Settled::Pending => return false,
                Settled::Fulfilled(_) => host::say(Say::Fulfilled, 0, b""),
                Settled::Rejected(reason) => {
                    host::say(Say::Rejected, 0, &described(&ctx, reason));
                    call_end(&ctx);
                }
            }
            true
        });
    }

    /// Says the result and what else is left.
    pub fn finish(&mut self, result_bytes: usize) {
        let Some(main) = self.main.clone() else { return };
        self.realm.with(|ctx| {
            call_end(&ctx);
            let Some(api) = natives::api(&ctx) else { return };
            if let Ok(promise) = main.restore(&ctx)
                && let Settled::Fulfilled(value) = raw::settled(&promise)
            {
                match Encoder::lenient(ctx.clone(), api, result_bytes).encode(value) {
                    Ok(encoded) => {
                        let size = u32::try_from(encoded.size).unwrap_or(u32::MAX);
                        host::say(Say::Result, size, &encoded.json);
                        for notice in encoded.notices {
                            host::say(Say::Notice, 0, notice.as_bytes());
                        }
                    }
                    Err(why) => host::say(Say::NotSerializable, 0, why.as_bytes()),
                }
            }
            if natives::with(|state| state.widened) {
                host::say(Say::Notice, 0, WIDENED.as_bytes());
            }
            let left = natives::with(|state| std::mem::take(&mut state.rejections));
            for (_, (_, reason)) in left {
                if let Ok(reason) = reason.restore(&ctx) {
                    judge(&ctx, reason);
                }
            }
        });
    }
}

impl Drop for Vm {
    fn drop(&mut self) {
        // What it kept is dropped outside: freeing a value may free others.
        let _kept = natives::with(std::mem::take);
    }
}

/// A failed call that nobody awaited is a notice; any other rejection is the run's failure.
fn judge<'js>(ctx: &Ctx<'js>, reason: Value<'js>) {
    let ours = natives::api(ctx)
        .and_then(|api| api.get::<_, Function>("isCallFailure").ok())
        .and_then(|check| check.call::<_, bool>((reason.clone(),)).ok());
    let error = described(ctx, reason);
    if ours == Some(true) {
        host::send(Say::Notice as u32, 1, b"", &error);
    } else {
        host::say(Say::Unhandled, 0, &error);
    }
}

fn call_end(ctx: &Ctx<'_>) {
    let end = natives::api(ctx).and_then(|api| api.get::<_, Function>("end").ok());
    if end.is_some_and(|end| end.call::<_, ()>(()).is_err()) {
        ctx.catch();
    }
}

fn described<'js>(ctx: &Ctx<'js>, reason: Value<'js>) -> Vec<u8> {
    let text = natives::api(ctx)
        .and_then(|api| api.get::<_, Function>("describeError").ok())
        .and_then(|describe| describe.call::<_, Value>((reason,)).ok());
    match text {
        Some(text) => natives::text_of(&text),
        None => {
            ctx.catch();
            br#"{"name":"Error","message":"(an error that cannot be read)"}"#.to_vec()
        }
    }
}

/// The value of an answer; one that cannot be read becomes a failure.
fn answer<'js>(ctx: &Ctx<'js>, ok: bool, json: &[u8]) -> (bool, Value<'js>) {
    let problem = match text::incoming(json) {
        Ok((ready, widened)) => match raw::parse_json(ctx, &ready) {
            Some(value) => {
                natives::with(|state| state.widened |= widened);
                return (ok, value);
            }
            None => {
                ctx.catch();
                "the answer is not JSON"
            }
        },
        Err(problem) => problem,
    };
    let fields = format!(r#"{{"code":"bad_response","message":"{problem}","retryable":false}}"#);
    let fields = [fields.as_bytes(), b"\0"].concat();
    let value = raw::parse_json(ctx, &fields);
    (false, value.unwrap_or_else(|| Value::new_null(ctx.clone())))
}

fn call_back<'js>(ctx: &Ctx<'js>, entry: &Object<'js>) -> rquickjs::Result<()> {
    let callback: Function = entry.get("callback")?;
    let given: Array = entry.get("args")?;
    let mut args = Args::new(ctx.clone(), given.len());
    for index in 0..given.len() {
        args.push_arg(given.get::<Value>(index)?)?;
    }
    callback.call_arg(args)
}

/// An exception of the compiler.
struct Complaint {
    name: String,
    message: String,
    stack: String,
}

impl Complaint {
    fn json(&self) -> String {
        let mut out = Vec::new();
        for (key, value) in [
            ("{\"name\":", &self.name),
            (",\"message\":", &self.message),
            (",\"stack\":", &self.stack),
        ] {
            out.extend_from_slice(key.as_bytes());
            text::quote(value.as_bytes(), |part| out.extend_from_slice(part));
        }
        out.push(b'}');
        String::from_utf8(out).unwrap_or_default()
    }
}

fn complaint(ctx: &Ctx<'_>) -> Complaint {
    let thrown = ctx.catch();
    let name = thrown.as_object().and_then(|object| object.get::<_, String>("name").ok());
    let exception = thrown.into_object().and_then(Exception::from_object);
    Complaint {
        name: name.unwrap_or_else(|| "SyntaxError".into()),
        message: exception.as_ref().and_then(Exception::message).unwrap_or_default(),
        stack: exception.as_ref().and_then(Exception::stack).unwrap_or_default(),
    }
}
