//! What to do instead of a name that programs expect and the sandbox does not have.
//!
//! Shown with the error of a program that used such a name and did not find it.

/// No network from inside.
const NETWORK: &str = "There is no network in a program; call a connected source's tool instead \
    (find one with search).";
/// No modules.
const MODULES: &str = "Nothing can be imported or required; connected sources are globals, and \
    standard JavaScript is there.";
/// No operating system.
const SYSTEM: &str = "There is no operating system in a program: no files, environment, processes \
    or arguments; call a connected source's tool instead.";
/// No code from text.
const CODE: &str = "Code cannot be made from text; write it out in the program.";
/// No shared memory, no machine code.
const ENGINE: &str = "The sandbox has neither WebAssembly nor shared memory; write plain \
    JavaScript.";
/// No page, no person.
const PAGE: &str = "There is no browser and no page in a program; return what should be shown.";
/// Timers.
const TIMERS: &str = "Only setTimeout (at most 30 s) and clearTimeout are there; repeat with a \
    loop that awaits.";
/// Garbage collection is not visible.
const MEMORY: &str = "Weak references are not there, because a program must run the same way \
    every time; use a Map.";
/// Tools.
const TOOLS: &str = "Each connected source is a global of its own: call \
    `await source.tool({ … })`, and find sources and tools with search.";
/// Formats of languages.
const LOCALE: &str = "There is no Intl; format numbers and dates by hand (the time zone is UTC).";
/// Bytes.
const BYTES: &str = "Use Uint8Array, TextEncoder, TextDecoder, atob and btoa.";
/// Stopping.
const ABORT: &str = "Calls cannot be aborted from inside; leave them out of what you await.";

/// Names and hints, in the order of the names.
const HINTS: &[(&str, &str)] = &[
    ("AbortController", ABORT),
    ("AbortSignal", ABORT),
    ("Atomics", ENGINE),
    ("Buffer", BYTES),
    ("Bun", SYSTEM),
    ("Deno", SYSTEM),
    ("EventSource", NETWORK),
    ("FinalizationRegistry", MEMORY),
    ("Function", CODE),
    ("Headers", NETWORK),
    ("Intl", LOCALE),
    ("Request", NETWORK),
    ("Response", NETWORK),
    ("SharedArrayBuffer", ENGINE),
    ("WeakRef", MEMORY),
    ("WebAssembly", ENGINE),
    ("WebSocket", NETWORK),
    ("Worker", ENGINE),
    ("XMLHttpRequest", NETWORK),
    ("__dirname", SYSTEM),
    ("__filename", SYSTEM),
    ("alert", PAGE),
    ("axios", NETWORK),
    ("callTool", TOOLS),
    ("child_process", SYSTEM),
    ("clearInterval", TIMERS),
    ("client", TOOLS),
    ("codemode", TOOLS),
    ("confirm", PAGE),
    ("document", PAGE),
    ("eval", CODE),
    ("exports", MODULES),
    ("fetch", NETWORK),
    ("fs", SYSTEM),
    ("importScripts", MODULES),
    ("localStorage", PAGE),
    ("mcp", TOOLS),
    ("module", MODULES),
    ("navigator", PAGE),
    ("os", SYSTEM),
    ("process", SYSTEM),
    ("prompt", PAGE),
    ("require", MODULES),
    ("sessionStorage", PAGE),
    ("setImmediate", TIMERS),
    ("setInterval", TIMERS),
    ("tools", TOOLS),
    ("window", PAGE),
];

/// The hint for a name that was used and not found.
pub fn for_name(name: &str) -> Option<&'static str> {
    HINTS.binary_search_by_key(&name, |hint| hint.0).ok().map(|at| HINTS[at].1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_is_found() {
        assert!(HINTS.is_sorted_by(|a, b| a.0 < b.0));
        for (name, hint) in HINTS {
            assert_eq!(for_name(name), Some(*hint));
        }
        assert_eq!(for_name("Math"), None);
    }
}
