//! What a guest is started with, as its host writes it: one reader for the image and the worker.

/// Everything a guest is started with.
pub struct Start<'a> {
    /// Seed of all randomness.
    pub seed: [u8; 32],
    /// What `Date` says.
    pub clock: f64,
    /// Bytes of console output.
    pub log_bytes: u32,
    /// Bytes of one call's arguments.
    pub argument_bytes: u32,
    /// Names of the namespaces, as a JSON array.
    pub namespaces: &'a str,
    /// The program.
    pub program: &'a str,
}

/// A start, and what the host's side of the guest keeps to itself.
pub struct Begin<'a> {
    /// Bytes of heap.
    pub heap_bytes: u32,
    /// Bytes of the result that are told.
    pub result_bytes: u32,
    /// What the guest sees.
    pub start: Start<'a>,
}

impl<'a> Begin<'a> {
    /// Reads seed (32 bytes), clock (f64), heap, log, argument and result bytes and the length of
    /// the namespaces (u32 each), all little endian, the namespaces, the program; none where it
    /// is malformed.
    pub fn read(buffer: &'a [u8]) -> Option<Self> {
        let (seed, rest) = buffer.split_first_chunk::<32>()?;
        let (clock, mut rest) = rest.split_first_chunk::<8>()?;
        let mut numbers = [0u32; 5];
        for number in &mut numbers {
            let (bytes, left) = rest.split_first_chunk::<4>()?;
            *number = u32::from_le_bytes(*bytes);
            rest = left;
        }
        let [heap_bytes, log_bytes, argument_bytes, result_bytes, names] = numbers;
        let (namespaces, program) = rest.split_at_checked(names as usize)?;
        let start = Start {
            seed: *seed,
            clock: f64::from_le_bytes(*clock),
            log_bytes,
            argument_bytes,
            namespaces: std::str::from_utf8(namespaces).ok()?,
            program: std::str::from_utf8(program).ok()?,
        };
        Some(Self { heap_bytes, result_bytes, start })
    }
}
