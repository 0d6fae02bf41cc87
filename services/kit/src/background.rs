//! Low-priority threads for work that nobody waits for at a screen, such as positions of devices.

use std::panic::resume_unwind;
use std::sync::LazyLock;

use tokio::runtime::{Builder, Handle, Runtime};

/// A niceness that gives a thread about a third of a normal thread's share when both want the same core:
/// background work is delayed, never starved.
const NICE: i32 = 5;

// A static is never dropped, so the runtime lives as long as the process.
static RUNTIME: LazyLock<Option<Runtime>> = LazyLock::new(|| {
    let built = Builder::new_multi_thread()
        .thread_name("background")
        .on_thread_start(|| {
            // Only on Linux does this change a single thread. Elsewhere it would change the whole process.
            #[cfg(target_os = "linux")]
            if let Err(error) = rustix::process::nice(NICE) {
                tracing::debug!("the priority of background work stays: {error}");
            }
        })
        .enable_all()
        .build();
    built.inspect_err(|error| tracing::warn!("background work goes with all other: {error}")).ok()
});

/// Runs the future on the background threads and returns its result.
pub async fn run<F>(work: F) -> F::Output
where
    F: Future<Output: Send + 'static> + Send + 'static,
{
    match handle().spawn(work).await {
        Ok(done) => done,
        Err(error) => resume_unwind(error.into_panic()),
    }
}

/// Returns the runtime of the background threads, or the caller's runtime if those threads could not be
/// created.
pub fn handle() -> Handle {
    RUNTIME.as_ref().map_or_else(Handle::current, |runtime| runtime.handle().clone())
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use rustix::process::getpriority_process;

    use super::*;

    #[tokio::test]
    async fn it_waits_for_all_other_work() {
        let usual = getpriority_process(None).unwrap();
        let here = std::thread::current().id();
        let (priority, there) =
            run(async { (getpriority_process(None).unwrap(), std::thread::current().id()) }).await;
        assert_eq!(priority, (usual + NICE).min(19));
        assert_ne!(there, here);
        assert_eq!(getpriority_process(None).unwrap(), usual, "that of everything else stays");
    }
}
