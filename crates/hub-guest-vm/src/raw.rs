//! What the bindings have no safe form for: compiling in one context and running in another, the
//! engine's own notion of what an object is, and strings byte for byte. The only module here that
//! talks to the engine by pointer.
#![expect(unsafe_code, reason = "the engine's C interface")]

use rquickjs::{Ctx, Value, qjs};
use std::ffi::{CStr, CString};

/// Compiles a script to bytecode; an exception is left pending on failure.
///
/// Bytecode never comes from outside: it is made here and read back at once.
pub fn compile(ctx: &Ctx<'_>, name: &str, line: i32, source: &str, strip: bool) -> Option<Vec<u8>> {
    let name = CString::new(name).ok()?;
    let text = CString::new(source.replace('\0', "\u{fffd}")).ok()?;
    let mut options = qjs::JSEvalOptions {
        version: qjs::JS_EVAL_OPTIONS_VERSION as i32,
        eval_flags: (qjs::JS_EVAL_TYPE_GLOBAL
            | qjs::JS_EVAL_FLAG_STRICT
            | qjs::JS_EVAL_FLAG_COMPILE_ONLY) as i32,
        filename: name.as_ptr(),
        line_num: line,
    };
    let flags = qjs::JS_WRITE_OBJ_BYTECODE | if strip { qjs::JS_WRITE_OBJ_STRIP_SOURCE } else { 0 };
    // SAFETY: the context is alive while `ctx` is; the text ends in NUL and its length is right;
    // the buffer is the engine's and is freed by it after the copy.
    unsafe {
        let raw = ctx.as_raw().as_ptr();
        let length = text.as_bytes().len();
        let value = qjs::JS_Eval2(raw, text.as_ptr(), length as _, &mut options);
        if qjs::JS_IsException(value) {
            return None;
        }
        let mut size = 0;
        let bytes = qjs::JS_WriteObject(raw, &mut size, value, flags as i32);
        qjs::JS_FreeValue(raw, value);
        if bytes.is_null() {
            return None;
        }
        let out = std::slice::from_raw_parts(bytes, size as usize).to_vec();
        qjs::js_free(raw, bytes.cast());
        Some(out)
    }
}

/// Runs bytecode of [`compile`] in `ctx`; an exception is left pending on failure.
pub fn run<'js>(ctx: &Ctx<'js>, code: &[u8]) -> Option<Value<'js>> {
    // SAFETY: the bytes were written by this engine a moment ago.
    unsafe {
        let raw = ctx.as_raw().as_ptr();
        let flags = qjs::JS_READ_OBJ_BYTECODE as i32;
        let function = qjs::JS_ReadObject(raw, code.as_ptr(), code.len() as _, flags);
        if qjs::JS_IsException(function) {
            return None;
        }
        let value = qjs::JS_EvalFunction(raw, function);
        (!qjs::JS_IsException(value)).then(|| Value::from_raw(ctx.clone(), value))
    }
}

/// Parses JSON that ends in NUL; an exception is left pending on failure.
pub fn parse_json<'js>(ctx: &Ctx<'js>, json: &[u8]) -> Option<Value<'js>> {
    let text = CStr::from_bytes_with_nul(json).ok()?;
    // SAFETY: the text ends in NUL, which its length does not count.
    unsafe {
        let raw = ctx.as_raw().as_ptr();
        let length = json.len() - 1;
        let value = qjs::JS_ParseJSON(raw, text.as_ptr(), length as _, c"answer".as_ptr());
        (!qjs::JS_IsException(value)).then(|| Value::from_raw(ctx.clone(), value))
    }
}

/// Hands the bytes of `value` as a string to `read`: UTF-8, except that halves of surrogate pairs
/// are encoded like characters. None when the value cannot become a string.
pub fn string_bytes<R>(value: &Value<'_>, read: impl FnOnce(&[u8]) -> R) -> Option<R> {
    // SAFETY: the bytes live until they are freed, after `read`.
    unsafe {
        let raw = value.ctx().as_raw().as_ptr();
        let mut size = 0;
        let text = qjs::JS_ToCStringLen2(raw, &mut size, value.as_raw(), false);
        if text.is_null() {
            return None;
        }
        let out = read(std::slice::from_raw_parts(text.cast(), size as usize));
        qjs::JS_FreeCString(raw, text);
        Some(out)
    }
}

/// A string value of UTF-8 bytes.
pub fn new_string<'js>(ctx: &Ctx<'js>, bytes: &[u8]) -> Value<'js> {
    // SAFETY: the engine copies the bytes.
    unsafe {
        let raw = ctx.as_raw().as_ptr();
        let value = qjs::JS_NewStringLen(raw, bytes.as_ptr().cast(), bytes.len() as _);
        Value::from_raw(ctx.clone(), value)
    }
}

/// The bytes of a `Uint8Array`, for `write` to change.
pub fn with_bytes<R>(value: &Value<'_>, write: impl FnOnce(&mut [u8]) -> R) -> Option<R> {
    // SAFETY: no guest code runs while `write` does, so the buffer stays where it is.
    unsafe {
        let mut size = 0;
        let bytes = qjs::JS_GetUint8Array(value.ctx().as_raw().as_ptr(), &mut size, value.as_raw());
        if bytes.is_null() {
            value.ctx().catch();
            return None;
        }
        Some(write(std::slice::from_raw_parts_mut(bytes, size as usize)))
    }
}

/// A job that calls `callback` without arguments.
pub fn microtask<'js>(ctx: &Ctx<'js>, callback: &Value<'js>) {
    unsafe extern "C" fn call(
        ctx: *mut qjs::JSContext,
        _count: std::ffi::c_int,
        arguments: *mut qjs::JSValue,
    ) -> qjs::JSValue {
        // SAFETY: the engine passes the one argument that was given below.
        unsafe { qjs::JS_Call(ctx, *arguments, qjs::JS_UNDEFINED, 0, std::ptr::null_mut()) }
    }
    let mut arguments = [value_of(callback)];
    // SAFETY: the engine duplicates the argument and calls back in this context.
    unsafe { qjs::JS_EnqueueJob(ctx.as_raw().as_ptr(), Some(call), 1, arguments.as_mut_ptr()) };
}

fn value_of(value: &Value<'_>) -> qjs::JSValue {
    value.as_raw()
}

/// Kinds of objects; the numbers are those at the top of the prelude.
pub mod kind {
    pub const NONE: i32 = -1;
    pub const PLAIN: i32 = 0;
    pub const ARRAY: i32 = 1;
    pub const DATE: i32 = 2;
    pub const REGEXP: i32 = 3;
    pub const MAP: i32 = 4;
    pub const SET: i32 = 5;
    pub const ERROR: i32 = 6;
    pub const PROMISE: i32 = 7;
    pub const VIEW: i32 = 8;
    pub const BUFFER: i32 = 9;
    pub const DATAVIEW: i32 = 10;
    pub const PROXY: i32 = 11;
    pub const WEAK: i32 = 12;
    pub const BOXED: i32 = 13;
    pub const FUNCTION: i32 = 14;
}

/// Class numbers of boxed numbers, strings, booleans, symbols and big integers in this engine.
const BOXED_CLASSES: [u32; 5] = [4, 5, 6, 7, 35];

/// What an object is, whatever it claims. -1 for a value that is no object.
pub fn kind_of(value: &Value<'_>) -> i32 {
    if !value.is_object() {
        return kind::NONE;
    }
    let raw = value.as_raw();
    // SAFETY: these look at the object's class and run nothing.
    unsafe {
        if qjs::JS_IsProxy(raw) {
            kind::PROXY
        } else if value.is_function() {
            kind::FUNCTION
        } else if qjs::JS_IsArray(raw) {
            kind::ARRAY
        } else if qjs::JS_IsDate(raw) {
            kind::DATE
        } else if qjs::JS_IsRegExp(raw) {
            kind::REGEXP
        } else if qjs::JS_IsMap(raw) {
            kind::MAP
        } else if qjs::JS_IsSet(raw) {
            kind::SET
        } else if qjs::JS_IsError(raw) {
            kind::ERROR
        } else if qjs::JS_IsPromise(raw) {
            kind::PROMISE
        } else if qjs::JS_GetTypedArrayType(raw) >= 0 {
            kind::VIEW
        } else if qjs::JS_IsArrayBuffer(raw) {
            kind::BUFFER
        } else if qjs::JS_IsDataView(raw) {
            kind::DATAVIEW
        } else if qjs::JS_IsWeakMap(raw) || qjs::JS_IsWeakSet(raw) {
            kind::WEAK
        } else if BOXED_CLASSES.contains(&qjs::JS_GetClassID(raw)) {
            kind::BOXED
        } else {
            kind::PLAIN
        }
    }
}

/// Whether a value that is no object is a big integer.
pub fn is_big_int(value: &Value<'_>) -> bool {
    // SAFETY: looks at the tag.
    unsafe { qjs::JS_IsBigInt(value.as_raw()) }
}

/// A property of any value, a primitive too; an exception is left pending on failure.
pub fn property<'js>(value: &Value<'js>, name: &CStr) -> Option<Value<'js>> {
    let ctx = value.ctx();
    // SAFETY: the name ends in NUL; the result is a new reference.
    unsafe {
        let found = qjs::JS_GetPropertyStr(ctx.as_raw().as_ptr(), value.as_raw(), name.as_ptr());
        (!qjs::JS_IsException(found)).then(|| Value::from_raw(ctx.clone(), found))
    }
}

/// Where the object lies, as its identity while it lives.
pub fn identity(value: &Value<'_>) -> usize {
    // SAFETY: the pointer is compared, never followed.
    unsafe { qjs::JS_VALUE_GET_PTR(value.as_raw()) as usize }
}

/// Whether a promise is pending, and what it settled with.
pub enum Settled<'js> {
    /// Not yet.
    Pending,
    /// With a value.
    Fulfilled(Value<'js>),
    /// With a reason.
    Rejected(Value<'js>),
}

/// The state of a promise, without touching anything a program can replace.
pub fn settled<'js>(promise: &Value<'js>) -> Settled<'js> {
    let ctx = promise.ctx();
    // SAFETY: `promise` is a promise by its class; the result is a new reference.
    unsafe {
        let raw = ctx.as_raw().as_ptr();
        let state = qjs::JS_PromiseState(raw, promise.as_raw());
        let value = || Value::from_raw(ctx.clone(), qjs::JS_PromiseResult(raw, promise.as_raw()));
        match state {
            qjs::JSPromiseStateEnum_JS_PROMISE_FULFILLED => Settled::Fulfilled(value()),
            qjs::JSPromiseStateEnum_JS_PROMISE_REJECTED => Settled::Rejected(value()),
            _ => Settled::Pending,
        }
    }
}
