//! Named points at which a test can kill the process. They do nothing in the product.
//!
//! `docs/fail-points.md` lists them, and `services/waybill/tests/kill` kills at each.

/// Kills the process as `kill -9` does, if the environment variable `FAILPOINTS` says so:
/// `upload.import.claimed=return` the first time this point is reached, `upload.import.claimed=3*off->return`
/// the fourth time. The last line on standard error then names the point.
#[cfg(feature = "testing")]
#[allow(clippy::print_stderr)]
pub fn fail_point(name: &'static str) {
    static READ: std::sync::Once = std::sync::Once::new();
    // Dropping a scenario would end it; this one lasts as long as the process.
    READ.call_once(|| std::mem::forget(fail::FailScenario::setup()));
    fail::eval(name, |_| {
        eprintln!("killed at {name}");
        let _ = rustix::process::kill_process(rustix::process::getpid(), rustix::process::Signal::KILL);
        loop {
            std::thread::park();
        }
    })
    .unwrap_or(())
}

/// Does nothing: this build lacks the feature `testing`.
#[cfg(not(feature = "testing"))]
#[inline(always)]
pub fn fail_point(_name: &'static str) {}
