//! An image that is not ours: whatever it says, and wherever it points, ends the guest at most.

use crate::support::{Play, block_on};
use hub_core::ports::GuestFault;
use hub_sandbox::{WasmDriver, WasmOptions};

/// A module that imports what our image does, has a page of memory with `data` at its start, and
/// on `hub_start` calls `send` with these six numbers.
fn image(numbers: [u32; 6], data: &[u8]) -> Vec<u8> {
    let mut code = vec![0];
    for number in numbers {
        code.push(0x41);
        signed(number.cast_signed(), &mut code);
    }
    code.extend([0x10, 0, 0x1a, 0x0b]);
    let alloc = vec![0, 0x41, 0x80, 0x10, 0x0b];
    let mut out = b"\0asm\x01\0\0\0".to_vec();
    // send; start; alloc; finish
    section(
        1,
        &[
            4, 0x60, 6, 0x7f, 0x7f, 0x7f, 0x7f, 0x7f, 0x7f, 1, 0x7f, 0x60, 2, 0x7f, 0x7f, 0, 0x60,
            1, 0x7f, 1, 0x7f, 0x60, 0, 0,
        ],
        &mut out,
    );
    section(2, &[&[1u8, 3][..], b"hub", &[4], b"send", &[0, 0]].concat(), &mut out);
    section(3, &[2, 1, 2], &mut out);
    section(5, &[1, 0, 1], &mut out);
    let exports: &[(&[u8], [u8; 2])] =
        &[(b"memory", [2, 0]), (b"hub_start", [0, 1]), (b"hub_alloc", [0, 2])];
    let mut names = vec![exports.len() as u8];
    for (name, what) in exports {
        names.push(name.len() as u8);
        names.extend_from_slice(name);
        names.extend(what);
    }
    section(7, &names, &mut out);
    let mut bodies = vec![2];
    for body in [&code, &alloc] {
        unsigned(body.len(), &mut bodies);
        bodies.extend(body);
    }
    section(10, &bodies, &mut out);
    let mut segment = vec![1, 0, 0x41, 0, 0x0b];
    unsigned(data.len(), &mut segment);
    segment.extend(data);
    section(11, &segment, &mut out);
    out
}

fn section(number: u8, body: &[u8], out: &mut Vec<u8>) {
    out.push(number);
    unsigned(body.len(), out);
    out.extend(body);
}

fn unsigned(mut n: usize, out: &mut Vec<u8>) {
    while n > 127 {
        out.push((n & 127) as u8 | 128);
        n >>= 7;
    }
    out.push(n as u8);
}

fn signed(mut n: i32, out: &mut Vec<u8>) {
    loop {
        let byte = (n & 127) as u8;
        n >>= 7;
        let done = (n == 0 && byte & 64 == 0) || (n == -1 && byte & 64 != 0);
        out.push(if done { byte } else { byte | 128 });
        if done {
            return;
        }
    }
}

fn started(numbers: [u32; 6], data: &[u8]) -> Option<GuestFault> {
    let options = WasmOptions { image: Some(image(numbers, data)), ..WasmOptions::default() };
    let driver = WasmDriver::open(options).unwrap();
    let play = Play { driver, seed: [0; 32], ..Play::default() };
    block_on(play.driver.start(play.spec("return 1"))).err()
}

#[test]
fn what_follows_the_protocol_is_taken() {
    let address = b"demo.echo{}";
    assert_eq!(started([3, 0, 0, 9, 9, 2], address), None);
    assert_eq!(started([1, 0, 0, 0, 65_535, 1], b""), None, "the last byte");
    assert_eq!(started([1, 9, 0, 0, 0, 0], b""), None, "a level nobody knows");
}

#[test]
fn what_does_not_ends_the_guest() {
    const FAR: u32 = u32::MAX;
    for (numbers, data) in [
        ([3, 0, 0, 9, 65_535, 2], &b"demo.echo"[..]),
        ([3, 0, 65_536, 1, 0, 0], b""),
        ([3, 0, FAR, FAR, 0, 0], b""),
        ([3, 0, 0, FAR, 0, 0], b""),
        ([3, 0, FAR, 1, 0, 0], b""),
        ([1, 0, 0, 0, 65_530, 7], b""),
        ([1, 0, 0, 0, 1 << 31, 1 << 31], b""),
        ([1, 0, 0, 0, 0, 2], b"\xff\xff"),
        ([3, 0, 0, 2, 0, 0], b"\xc0\x80"),
        ([1, 0, 0, 0, 0, 3], b"\xed\xa0\x80"),
        ([9, 0, 0, 0, 0, 2], b"{}"),
        ([9, 0, 0, 0, 0, 4], b"null"),
        ([10, 0, 0, 0, 0, 1], b"{"),
        ([12, 1, 0, 0, 0, 2], b"[]"),
        ([13, 0, 0, 0, 0, 2], b"1 "),
        ([6, 0, 0, 0, 0, 2], b"-1"),
        ([6, 0, 0, 0, 0, 12], b"999999999999"),
        ([0, 0, 0, 0, 0, 0], b""),
        ([16, 0, 0, 0, 0, 0], b""),
        ([FAR, FAR, 0, 0, 0, 0], b""),
    ] {
        let fault = started(numbers, data);
        assert!(matches!(fault, Some(GuestFault::Broken(_))), "{numbers:?}: {fault:?}");
    }
}
