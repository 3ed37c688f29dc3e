//! The object of a namespace: frozen from its first moment, and of hundreds of tools only those
//! are made into functions that somebody looks at. To a program it is an ordinary object whose
//! properties can be neither written nor configured.
#![expect(unsafe_code, reason = "the engine knows such objects by their C interface alone")]

use crate::tools::{Found, Tools};
use rquickjs::{Ctx, Value, qjs};
use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::ffi::{c_int, c_void};
use std::rc::Rc;

thread_local! {
    static CLASS: Cell<qjs::JSClassID> = const { Cell::new(0) };
}

/// What such an object holds.
struct Space {
    tools: Rc<Tools>,
    /// Makes a tool's function of its name.
    make: qjs::JSValue,
    /// Names that were asked for and mean a tool; each is held.
    asked: RefCell<BTreeMap<qjs::JSAtom, Found>>,
    /// The functions made so far, by tool.
    made: RefCell<BTreeMap<u32, qjs::JSValue>>,
}

/// The hooks of the class; the engine keeps the address.
struct Hooks(qjs::JSClassExoticMethods);

// SAFETY: the engine reads it and never writes; there is nothing in it but functions.
unsafe impl Sync for Hooks {}

static HOOKS: Hooks = Hooks(qjs::JSClassExoticMethods {
    get_own_property: Some(get_own),
    get_own_property_names: Some(own_names),
    delete_property: Some(delete),
    define_own_property: Some(define),
    has_property: None,
    get_property: None,
    set_property: None,
});

/// Makes the class known to the engine; called once, before there are such objects.
pub fn register(ctx: &Ctx<'_>) -> Result<(), String> {
    let class = qjs::JSClassDef {
        class_name: c"Object".as_ptr(),
        finalizer: Some(finalize),
        gc_mark: Some(mark),
        call: None,
        exotic: (&raw const HOOKS.0).cast_mut(),
    };
    // SAFETY: the runtime is alive; it copies the definition and keeps the hooks, which stay.
    let done = unsafe {
        let runtime = qjs::JS_GetRuntime(ctx.as_raw().as_ptr());
        let mut id = 0;
        CLASS.set(qjs::JS_NewClassID(runtime, &mut id));
        qjs::JS_NewClass(runtime, id, &class)
    };
    if done == 0 { Ok(()) } else { Err("the engine refused the class of namespaces".into()) }
}

/// The object of a namespace with these tools, with `behind` as its prototype.
pub fn object<'js>(
    ctx: &Ctx<'js>,
    tools: Rc<Tools>,
    make: &Value<'js>,
    behind: &Value<'js>,
) -> Option<Value<'js>> {
    // SAFETY: the references are duplicated for the object, whose finalizer gives them back.
    unsafe {
        let raw = ctx.as_raw().as_ptr();
        let object = qjs::JS_NewObjectProtoClass(raw, behind.as_raw(), CLASS.get());
        if qjs::JS_IsException(object) {
            return None;
        }
        let make = qjs::JS_DupValue(raw, make.as_raw());
        let space = Space { tools, make, asked: RefCell::default(), made: RefCell::default() };
        qjs::JS_SetOpaque(object, Box::into_raw(Box::new(space)).cast::<c_void>());
        qjs::JS_PreventExtensions(raw, object);
        Some(Value::from_raw(ctx.clone(), object))
    }
}

/// SAFETY: `object` is of this class and alive while the result is used.
unsafe fn space<'a>(object: qjs::JSValue) -> Option<&'a Space> {
    // SAFETY: the pointer was set at the object's making and is freed with it.
    unsafe { qjs::JS_GetOpaque(object, CLASS.get()).cast::<Space>().as_ref() }
}

impl Space {
    /// The tool that a property's name means.
    ///
    /// SAFETY: context and name are the engine's.
    unsafe fn find(&self, ctx: *mut qjs::JSContext, name: qjs::JSAtom) -> Option<Found> {
        if let Some(found) = self.asked.borrow().get(&name) {
            return Some(*found);
        }
        // SAFETY: the value and its bytes are given back after they were read.
        let found = unsafe {
            let text = qjs::JS_AtomToValue(ctx, name);
            let mut found = None;
            if qjs::JS_IsString(text) {
                let mut size = 0;
                let bytes = qjs::JS_ToCStringLen2(ctx, &mut size, text, false);
                if !bytes.is_null() {
                    let wanted = std::slice::from_raw_parts(bytes.cast::<u8>(), size as usize);
                    found = self.tools.find(wanted);
                    qjs::JS_FreeCString(ctx, bytes);
                }
            }
            qjs::JS_FreeValue(ctx, text);
            found?
        };
        // SAFETY: held until the object goes.
        let held = unsafe { qjs::JS_DupAtom(ctx, name) };
        self.asked.borrow_mut().insert(held, found);
        Some(found)
    }

    /// The function of a tool, as a new reference; an exception stays pending on failure.
    ///
    /// SAFETY: the context is the engine's.
    unsafe fn function(&self, ctx: *mut qjs::JSContext, tool: u32) -> Option<qjs::JSValue> {
        let made = self.made.borrow().get(&tool).copied();
        // SAFETY: no borrow is held while the prelude's own code runs; values are counted.
        unsafe {
            if let Some(function) = made {
                return Some(qjs::JS_DupValue(ctx, function));
            }
            let name = self.tools.name(tool);
            let name = qjs::JS_NewStringLen(ctx, name.as_ptr().cast(), name.len() as _);
            let mut arguments = [name];
            let function =
                qjs::JS_Call(ctx, self.make, qjs::JS_UNDEFINED, 1, arguments.as_mut_ptr());
            qjs::JS_FreeValue(ctx, name);
            if qjs::JS_IsException(function) {
                return None;
            }
            self.made.borrow_mut().insert(tool, qjs::JS_DupValue(ctx, function));
            Some(function)
        }
    }
}

unsafe extern "C" fn get_own(
    ctx: *mut qjs::JSContext,
    descriptor: *mut qjs::JSPropertyDescriptor,
    object: qjs::JSValue,
    name: qjs::JSAtom,
) -> c_int {
    // SAFETY: the engine passes an object of this class, and room for a descriptor or none.
    unsafe {
        let Some(space) = space(object) else { return 0 };
        let Some(found) = space.find(ctx, name) else { return 0 };
        let Some(descriptor) = descriptor.as_mut() else { return 1 };
        let Some(function) = space.function(ctx, found.tool) else { return -1 };
        descriptor.flags = if found.listed { qjs::JS_PROP_ENUMERABLE as c_int } else { 0 };
        descriptor.value = function;
        descriptor.getter = qjs::JS_UNDEFINED;
        descriptor.setter = qjs::JS_UNDEFINED;
    }
    1
}

unsafe extern "C" fn own_names(
    ctx: *mut qjs::JSContext,
    table: *mut *mut qjs::JSPropertyEnum,
    count: *mut u32,
    object: qjs::JSValue,
) -> c_int {
    // SAFETY: the engine frees the table and the names in it.
    unsafe {
        let Some(space) = space(object) else { return -1 };
        let names = space.tools.all_names();
        let bytes = size_of::<qjs::JSPropertyEnum>() * names.len().max(1);
        let entries = qjs::js_malloc(ctx, bytes as _).cast::<qjs::JSPropertyEnum>();
        if entries.is_null() {
            return -1;
        }
        for (at, name) in names.iter().enumerate() {
            let atom = qjs::JS_NewAtomLen(ctx, name.as_ptr().cast(), name.len() as _);
            entries.add(at).write(qjs::JSPropertyEnum { is_enumerable: false, atom });
        }
        *table = entries;
        *count = names.len() as u32;
    }
    0
}

unsafe extern "C" fn delete(
    ctx: *mut qjs::JSContext,
    object: qjs::JSValue,
    name: qjs::JSAtom,
) -> c_int {
    // SAFETY: as above.
    let known = unsafe { space(object).and_then(|space| space.find(ctx, name)) };
    c_int::from(known.is_none())
}

/// What a frozen object allows: saying again what is so already.
unsafe extern "C" fn define(
    ctx: *mut qjs::JSContext,
    object: qjs::JSValue,
    name: qjs::JSAtom,
    value: qjs::JSValue,
    _getter: qjs::JSValue,
    _setter: qjs::JSValue,
    flags: c_int,
) -> c_int {
    let flags = flags.unsigned_abs();
    let says = |has: u32, flag: u32| (flags & has != 0).then_some(flags & flag != 0);
    // SAFETY: as above; objects are compared by where they lie.
    unsafe {
        let found = space(object).and_then(|space| Some((space, space.find(ctx, name)?)));
        let wrong = match found {
            None => c"object is not extensible",
            Some((space, found)) => {
                let is_same = || {
                    let made = space.made.borrow().get(&found.tool).copied();
                    made.is_some_and(|made| {
                        qjs::JS_IsObject(value)
                            && qjs::JS_VALUE_GET_PTR(made) == qjs::JS_VALUE_GET_PTR(value)
                    })
                };
                let listed = says(qjs::JS_PROP_HAS_ENUMERABLE, qjs::JS_PROP_ENUMERABLE);
                let changes = flags & (qjs::JS_PROP_HAS_GET | qjs::JS_PROP_HAS_SET) != 0
                    || says(qjs::JS_PROP_HAS_CONFIGURABLE, qjs::JS_PROP_CONFIGURABLE) == Some(true)
                    || says(qjs::JS_PROP_HAS_WRITABLE, qjs::JS_PROP_WRITABLE) == Some(true)
                    || listed.is_some_and(|listed| listed != found.listed)
                    || (flags & qjs::JS_PROP_HAS_VALUE != 0 && !is_same());
                if !changes {
                    return 1;
                }
                c"property is not configurable"
            }
        };
        if flags & (qjs::JS_PROP_THROW | qjs::JS_PROP_THROW_STRICT) == 0 {
            return 0;
        }
        qjs::JS_ThrowTypeError(ctx, wrong.as_ptr());
    }
    -1
}

unsafe extern "C" fn mark(
    runtime: *mut qjs::JSRuntime,
    object: qjs::JSValue,
    marked: qjs::JS_MarkFunc,
) {
    // SAFETY: everything that the object holds, once each.
    unsafe {
        let Some(space) = space(object) else { return };
        qjs::JS_MarkValue(runtime, space.make, marked);
        for function in space.made.borrow().values() {
            qjs::JS_MarkValue(runtime, *function, marked);
        }
    }
}

unsafe extern "C" fn finalize(runtime: *mut qjs::JSRuntime, object: qjs::JSValue) {
    // SAFETY: called once, when nothing refers to the object any more.
    unsafe {
        let space = qjs::JS_GetOpaque(object, CLASS.get()).cast::<Space>();
        if space.is_null() {
            return;
        }
        let space = Box::from_raw(space);
        qjs::JS_FreeValueRT(runtime, space.make);
        for function in space.made.into_inner().into_values() {
            qjs::JS_FreeValueRT(runtime, function);
        }
        for name in space.asked.into_inner().into_keys() {
            qjs::JS_FreeAtomRT(runtime, name);
        }
    }
}
