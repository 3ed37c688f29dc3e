//! The prelude's files, in order, as the body of one function.

/// Source of the prelude: an expression that is a function of the natives.
pub const PRELUDE: &str = concat!(
    "(function (native) {\n'use strict';\n",
    include_str!("../prelude/00-captured.js"),
    include_str!("../prelude/10-stack.js"),
    include_str!("../prelude/20-errors.js"),
    include_str!("../prelude/30-clock.js"),
    include_str!("../prelude/40-text.js"),
    include_str!("../prelude/50-clone.js"),
    include_str!("../prelude/60-console.js"),
    include_str!("../prelude/70-calls.js"),
    include_str!("../prelude/80-namespaces.js"),
    include_str!("../prelude/90-host.js"),
    "})"
);
