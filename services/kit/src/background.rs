//! Threads for work that nobody watches a screen for, such as positions of devices: the system gives
//! them the processor after those that answer people.

use std::panic::resume_unwind;
use std::sync::LazyLock;

use tokio::runtime::{Builder, Handle, Runtime};

/// A third of the share of a usual thread where both want the same core, so that what waits is late and
/// never starved.
const NICE: i32 = 5;

// Never dropped: it ends with the process.
static RUNTIME: LazyLock<Option<Runtime>> = LazyLock::new(|| {
    let built = Builder::new_multi_thread()
        .thread_name("background")
        .on_thread_start(|| {
            // Of this thread alone, as Linux has it; elsewhere it would be of the whole process.
            #[cfg(target_os = "linux")]
            if let Err(error) = rustix::process::nice(NICE) {
                tracing::debug!("the priority of background work stays: {error}");
            }
        })
        .enable_all()
        .build();
    built.inspect_err(|error| tracing::warn!("background work goes with all other: {error}")).ok()
});

/// Runs such work, and ends as it ends.
pub async fn run<F>(work: F) -> F::Output
where
    F: Future<Output: Send + 'static> + Send + 'static,
{
    match handle().spawn(work).await {
        Ok(done) => done,
        Err(error) => resume_unwind(error.into_panic()),
    }
}

/// What it spawns goes on there too; where its threads cannot be made, the runtime of the caller.
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
