//! What a guest leaves in its place.

use super::engine::config;
use super::image::IMAGE;
use wasmtime::{Engine, InstancePre, Linker, Memory, Module, Store};

/// Bytes of a page of the guest's memory.
const PAGE: usize = 64 << 10;

struct Guest {
    store: Store<()>,
    memory: Memory,
}

fn guest(ready: &InstancePre<()>) -> Guest {
    let mut store = Store::new(ready.module().engine(), ());
    store.set_epoch_deadline(1);
    let instance = ready.instantiate(&mut store).unwrap();
    let memory = instance.get_memory(&mut store, "memory").unwrap();
    Guest { store, memory }
}

/// What one guest wrote, little or much, the next never reads: places of guests are used again,
/// and written back as the image has them.
#[test]
fn the_next_guest_in_a_place_finds_the_image() {
    let engine = Engine::new(&config(true)).unwrap();
    let module = Module::new(&engine, IMAGE).unwrap();
    let mut linker = Linker::new(&engine);
    linker.define_unknown_imports_as_traps(&module).unwrap();
    let ready = linker.instantiate_pre(&module).unwrap();
    let (image, place) = {
        let first = guest(&ready);
        (first.memory.data(&first.store).to_vec(), first.memory.data_ptr(&first.store) as usize)
    };
    // Bytes between two that are written, and pages of memory that is added.
    for (apart, more) in
        [(4096, 0), (1, 0), (100_000, 0), (4096, 1), (1, 40), (8192, 700), (4096, 0)]
    {
        let mut writer = guest(&ready);
        assert_eq!(writer.memory.data_ptr(&writer.store) as usize, place, "another place");
        assert!(writer.memory.data(&writer.store) == image, "before {apart} and {more}");
        writer.memory.grow(&mut writer.store, more).unwrap();
        let bytes = writer.memory.data_mut(&mut writer.store);
        assert_eq!(bytes.len(), image.len() + PAGE * more as usize);
        bytes.iter_mut().step_by(apart).for_each(|byte| *byte ^= 0xa5);
    }
    // Memory that is added again is empty again.
    let mut last = guest(&ready);
    last.memory.grow(&mut last.store, 700).unwrap();
    assert_eq!(last.memory.data_ptr(&last.store) as usize, place, "another place");
    let (start, added) = last.memory.data(&last.store).split_at(image.len());
    assert!(start == image && added.iter().all(|byte| *byte == 0));
}
