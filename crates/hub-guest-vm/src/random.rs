//! ChaCha20 as a stream of numbers: the same seed gives the same numbers everywhere.

/// The stream of one run.
pub struct Random {
    state: [u32; 16],
    block: [u8; 64],
    used: usize,
}

impl Random {
    /// The stream of `seed`.
    pub fn new(seed: [u8; 32]) -> Self {
        let mut state = [0u32; 16];
        // "expand 32-byte k", the cipher's own constants.
        state[..4].copy_from_slice(&[0x6170_7865, 0x3320_646e, 0x7962_2d32, 0x6b20_6574]);
        for (slot, bytes) in state[4..12].iter_mut().zip(seed.chunks_exact(4)) {
            *slot = u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]);
        }
        Self { state, block: [0; 64], used: 64 }
    }

    /// Fills `out` with the next bytes.
    pub fn fill(&mut self, out: &mut [u8]) {
        for byte in out {
            if self.used == self.block.len() {
                self.refill();
            }
            *byte = self.block[self.used];
            self.used += 1;
        }
    }

    /// A number in [0, 1) with 53 random bits.
    pub fn unit(&mut self) -> f64 {
        let mut bytes = [0; 8];
        self.fill(&mut bytes);
        (u64::from_le_bytes(bytes) >> 11) as f64 / (1u64 << 53) as f64
    }

    fn refill(&mut self) {
        let mut x = self.state;
        for _ in 0..10 {
            for [a, b, c, d] in [
                [0, 4, 8, 12],
                [1, 5, 9, 13],
                [2, 6, 10, 14],
                [3, 7, 11, 15],
                [0, 5, 10, 15],
                [1, 6, 11, 12],
                [2, 7, 8, 13],
                [3, 4, 9, 14],
            ] {
                quarter(&mut x, a, b, c, d);
            }
        }
        for (i, bytes) in self.block.chunks_exact_mut(4).enumerate() {
            bytes.copy_from_slice(&x[i].wrapping_add(self.state[i]).to_le_bytes());
        }
        self.used = 0;
        let (low, carry) = self.state[12].overflowing_add(1);
        self.state[12] = low;
        self.state[13] = self.state[13].wrapping_add(u32::from(carry));
    }
}

fn quarter(x: &mut [u32; 16], a: usize, b: usize, c: usize, d: usize) {
    for (rotate_d, rotate_b) in [(16, 12), (8, 7)] {
        x[a] = x[a].wrapping_add(x[b]);
        x[d] = (x[d] ^ x[a]).rotate_left(rotate_d);
        x[c] = x[c].wrapping_add(x[d]);
        x[b] = (x[b] ^ x[c]).rotate_left(rotate_b);
    }
}
