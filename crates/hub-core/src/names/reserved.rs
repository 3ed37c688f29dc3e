//! Names that no namespace or tool may have. Adding one renames nothing that was kept.

/// Words of the language, our own globals, and the two properties that a runtime calls unasked:
/// `then` on every awaited value, `toJSON` on every value put into JSON.
pub(super) fn is_reserved(name: &str) -> bool {
    matches!(
        name,
        "arguments" | "await" | "break" | "case" | "catch" | "class" | "const" | "continue"
            | "debugger" | "default" | "delete" | "do" | "else" | "enum" | "eval" | "export"
            | "extends" | "false" | "finally" | "for" | "function" | "if" | "implements"
            | "import" | "in" | "instanceof" | "interface" | "let" | "new" | "null" | "package"
            | "private" | "protected" | "public" | "return" | "static" | "super" | "switch"
            | "this" | "throw" | "true" | "try" | "typeof" | "undefined" | "var" | "void"
            | "while" | "with" | "yield"
            // our globals
            | "hub" | "console" | "crypto" | "globalThis" | "structuredClone" | "setTimeout"
            | "clearTimeout" | "queueMicrotask" | "atob" | "btoa" | "isNaN" | "isFinite"
            | "parseInt" | "parseFloat" | "escape" | "unescape" | "encodeURI" | "decodeURI"
            | "encodeURIComponent" | "decodeURIComponent"
            // called unasked
            | "then" | "toJSON"
    ) || is_global_object(name)
}

/// Globals that begin with a capital; camelCase gives such a name only to scripts without case.
fn is_global_object(name: &str) -> bool {
    matches!(name, "NaN" | "Infinity" | "Promise" | "ToolError" | "Object" | "Array" | "Date")
}

/// What a namespace may not be called beside those: things that programs ask for and that must
/// stay absent, so that `typeof fetch === "undefined"` holds whatever is connected.
pub(super) fn is_reserved_namespace(name: &str) -> bool {
    matches!(
        name,
        "fetch"
            | "require"
            | "process"
            | "module"
            | "exports"
            | "global"
            | "window"
            | "self"
            | "setInterval"
            | "clearInterval"
            | "setImmediate"
            | "async"
            | "of"
            | "type"
            | "declare"
            | "namespace"
            | "any"
            | "unknown"
            | "never"
            | "object"
            | "string"
            | "number"
            | "boolean"
            | "symbol"
            | "bigint"
            | "constructor"
            | "toString"
            | "valueOf"
            | "toLocaleString"
            | "hasOwnProperty"
            | "isPrototypeOf"
            | "propertyIsEnumerable"
    )
}
