//! A worker without a hub around it, for tests and benches; the hub is its own worker.

#[cfg(target_os = "linux")]
#[global_allocator]
static MEMORY: hub_sandbox::WorkerMemory = hub_sandbox::WorkerMemory;

#[cfg(target_os = "linux")]
fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    hub_sandbox::worker_main(&arguments)
}

#[cfg(not(target_os = "linux"))]
fn main() {}
