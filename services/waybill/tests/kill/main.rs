//! `kill -9` of the real program, followed by a restart: nothing that was acknowledged is lost or duplicated.
//! `points` kills processes at every named point of `docs/fail-points.md` during a day of the office, and at
//! random moments, and breaks the network. The others kill at random moments: `imports` and `undo` during
//! large files, `positions` while devices send, `analytics` while its events flow, `letters` while other
//! systems report, and `resends` while letters are resent. `migrations` kills after each statement of an
//! upgrade. Every test run does a share of this; `just kill` sets the variables that `number` reads, for the
//! full run.

#![allow(clippy::unwrap_used, clippy::expect_used)] // a test fails by panicking

mod analytics;
mod away;
mod broker;
#[allow(dead_code)] // only the tests in `world` use all of this module
#[path = "../world/browser.rs"]
mod browser;
mod client;
mod day;
mod imports;
mod letters;
mod migrations;
mod network;
mod points;
mod positions;
mod product;
mod resends;
#[path = "../world/running.rs"]
mod running;
#[allow(dead_code)] // programs log only problems here; the worlds look through their logs
#[path = "../world/secrets.rs"]
mod secrets;
mod traces;
mod undo;
mod wire;
mod work;

/// Returns an amount from the environment, or the default for a short run.
fn number(name: &str, default: usize) -> usize {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(default)
}
