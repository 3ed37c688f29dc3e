//! Runs the parser where its recursion has room.

use crate::fault::Fault;

/// Bytes of stack for one reading. Only pages that are touched cost memory.
///
/// The parser has no limit of its own and a stack overflow ends the process. `depth` refuses what
/// is nested too deeply before; this is enough even for text that it misjudges (see
/// `tests/it/nesting.rs`).
pub const STACK_BYTES: usize = 256 << 20;

/// Runs `work` on a thread of its own.
pub fn with_room<T: Send>(work: impl FnOnce() -> Result<T, Fault> + Send) -> Result<T, Fault> {
    std::thread::scope(|scope| {
        let builder = std::thread::Builder::new().name("reader".into()).stack_size(STACK_BYTES);
        match builder.spawn_scoped(scope, work) {
            Ok(thread) => thread
                .join()
                .unwrap_or_else(|_| Err(Fault::internal("The code could not be read."))),
            Err(_) => Err(Fault::internal("No room to read the code now; try again.")),
        }
    })
}
