//! `kill -9` of the real program, then a restart: nothing that was answered is lost or doubled.
//!
//! `points` kills at every named moment of `docs/fail-points.md` on a day of the office, and at random moments;
//! `imports`, `undo` and `positions` kill at random moments of large files, of undos and of many positions, `analytics` while
//! its events flow, `letters` while other systems report, `resends` while letters are resent. A share of this runs with
//! every test; `just kill` sets the variables that `number` reads, for the full run.

#![allow(clippy::unwrap_used, clippy::expect_used)] // a test fails by panicking

mod analytics;
mod away;
#[allow(dead_code)] // shared with the scenarios, which use all of it
#[path = "../world/browser.rs"]
mod browser;
mod client;
mod day;
mod imports;
mod letters;
mod network;
mod points;
mod positions;
mod product;
mod resends;
#[path = "../world/running.rs"]
mod running;
mod traces;
mod undo;
mod work;

/// How much of something to do: what the environment says, or a share of it.
fn number(name: &str, default: usize) -> usize {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(default)
}
