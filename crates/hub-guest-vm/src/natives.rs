//! The functions that the prelude calls, and what they share.

use crate::encode::Encoder;
use crate::random::Random;
use crate::tools::Tools;
use crate::{host, names, raw, spaces, text};
use rquickjs::{Ctx, Function, Object, Persistent, Result, TypedArray, Value};
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

type Kept = Persistent<Value<'static>>;

/// What one run needs outside the engine.
pub struct State {
    /// Chance.
    pub random: Random,
    /// Bytes of one call's arguments.
    pub argument_bytes: usize,
    /// The prelude's interface.
    pub api: Option<Persistent<Object<'static>>>,
    /// Where main's promise lies, once there is one.
    pub main: Option<usize>,
    /// Whether an answer held integers that became texts.
    pub widened: bool,
    /// The tools of namespaces that were touched.
    tools: BTreeMap<u32, Rc<Tools>>,
    /// The number of the next operation that the host takes.
    next_operation: u32,
    next: u64,
    order: BTreeMap<usize, u64>,
    /// Rejections nobody looked at, in order: the promise, kept so that its place stays taken,
    /// and the reason.
    pub rejections: BTreeMap<u64, (Option<Kept>, Kept)>,
}

impl Default for State {
    fn default() -> Self {
        Self {
            random: Random::new([0; 32]),
            argument_bytes: 0,
            api: None,
            main: None,
            widened: false,
            tools: BTreeMap::new(),
            next_operation: 0,
            next: 0,
            order: BTreeMap::new(),
            rejections: BTreeMap::new(),
        }
    }
}

thread_local! {
    static STATE: RefCell<State> = RefCell::default();
}

/// Changes the state; nothing in `change` may run guest code.
pub fn with<R>(change: impl FnOnce(&mut State) -> R) -> R {
    STATE.with_borrow_mut(change)
}

/// The prelude's interface.
pub fn api<'js>(ctx: &Ctx<'js>) -> Option<Object<'js>> {
    with(|state| state.api.clone()).and_then(|api| api.restore(ctx).ok())
}

/// Called by the engine when a promise is rejected without a handler, and when one comes late.
pub fn rejection<'js>(ctx: &Ctx<'js>, promise: Value<'js>, reason: Value<'js>, handled: bool) {
    if handled {
        return forget_rejection(&promise);
    }
    let place = raw::identity(&promise);
    let kept = (Some(Persistent::save(ctx, promise)), Persistent::save(ctx, reason));
    with(|state| {
        if state.main == Some(place) {
            return;
        }
        let number = state.next;
        state.next += 1;
        state.order.insert(place, number);
        state.rejections.insert(number, kept);
    });
}

/// Keeps an exception that nothing could catch.
pub fn uncaught<'js>(ctx: &Ctx<'js>, reason: Value<'js>) {
    let kept = (None, Persistent::save(ctx, reason));
    with(|state| {
        let number = state.next;
        state.next += 1;
        state.rejections.insert(number, kept);
    });
}

/// Somebody looked after all.
pub fn forget_rejection(promise: &Value<'_>) {
    let place = raw::identity(promise);
    // Dropped outside: freeing a value may free others.
    let _dropped = with(|state| {
        state.order.remove(&place).and_then(|number| state.rejections.remove(&number))
    });
}

/// The object that the prelude is given.
pub fn object<'js>(ctx: &Ctx<'js>) -> Result<Object<'js>> {
    let natives = Object::new(ctx.clone())?;
    natives.set("send", Function::new(ctx.clone(), send)?)?;
    natives.set("operation", Function::new(ctx.clone(), operation)?)?;
    natives.set("space", Function::new(ctx.clone(), space)?)?;
    natives.set("closest", Function::new(ctx.clone(), closest)?)?;
    natives.set("kindOf", Function::new(ctx.clone(), kind_of)?)?;
    natives.set("random", Function::new(ctx.clone(), random)?)?;
    natives.set("fill", Function::new(ctx.clone(), fill)?)?;
    natives.set("encode", Function::new(ctx.clone(), encode)?)?;
    natives.set("decode", Function::new(ctx.clone(), decode)?)?;
    natives.set("job", Function::new(ctx.clone(), job)?)?;
    Ok(natives)
}

/// The text of a value of the prelude's, well formed.
pub fn text_of(value: &Value<'_>) -> Vec<u8> {
    let text = raw::string_bytes(value, |bytes| text::well_formed(bytes).0.into_owned());
    text.unwrap_or_else(|| {
        value.ctx().catch();
        Vec::new()
    })
}

fn send<'js>(kind: u32, n: u32, head: Value<'js>, body: Value<'js>) -> bool {
    host::send(kind, n, &text_of(&head), &text_of(&body))
}

/// The operation's number when the host took it, an empty text when it refused, else what is
/// wrong with the arguments.
fn operation<'js>(ctx: Ctx<'js>, kind: u32, head: Value<'js>, arguments: Value<'js>) -> Value<'js> {
    let limit = with(|state| state.argument_bytes);
    let encoded = match Encoder::strict(ctx.clone(), limit).encode(arguments) {
        Ok(encoded) => encoded,
        Err(problem) => return raw::new_string(&ctx, problem.as_bytes()),
    };
    let n = with(|state| state.next_operation);
    if !host::send(kind, n, &text_of(&head), &encoded.json) {
        return raw::new_string(&ctx, b"");
    }
    with(|state| state.next_operation += 1);
    Value::new_number(ctx, n.into())
}

fn tools(index: u32) -> Rc<Tools> {
    if let Some(known) = with(|state| state.tools.get(&index).cloned()) {
        return known;
    }
    let tools = Rc::new(Tools::read(&host::tools(index)));
    with(|state| state.tools.insert(index, Rc::clone(&tools)));
    tools
}

/// The object of a namespace: `make` makes a tool's function, `behind` is its prototype.
fn space<'js>(
    ctx: Ctx<'js>,
    index: u32,
    make: Value<'js>,
    behind: Value<'js>,
) -> Result<Value<'js>> {
    spaces::object(&ctx, tools(index), &make, &behind).ok_or(rquickjs::Error::Exception)
}

fn closest(index: u32, wanted: Value<'_>) -> String {
    let known = tools(index);
    let known: Vec<String> =
        known.names().map(|name| String::from_utf8_lossy(name).into_owned()).collect();
    names::closest(&known, &String::from_utf8_lossy(&text_of(&wanted)))
}

fn kind_of(value: Value<'_>) -> i32 {
    raw::kind_of(&value)
}

fn random() -> f64 {
    with(|state| state.random.unit())
}

fn fill(bytes: Value<'_>) {
    raw::with_bytes(&bytes, |bytes| with(|state| state.random.fill(bytes)));
}

fn encode<'js>(ctx: Ctx<'js>, value: Value<'js>) -> Result<TypedArray<'js, u8>> {
    TypedArray::new(ctx, text_of(&value))
}

fn decode<'js>(ctx: Ctx<'js>, bytes: Value<'js>, fatal: bool) -> Option<Value<'js>> {
    let text = raw::with_bytes(&bytes, |bytes| match std::str::from_utf8(bytes) {
        Ok(text) => Some(text.to_owned()),
        Err(_) if fatal => None,
        Err(_) => Some(String::from_utf8_lossy(bytes).into_owned()),
    })??;
    Some(raw::new_string(&ctx, text.as_bytes()))
}

fn job<'js>(ctx: Ctx<'js>, callback: Value<'js>) {
    raw::microtask(&ctx, &callback);
}
