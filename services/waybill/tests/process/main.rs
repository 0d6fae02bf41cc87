//! The real program in a faulty environment: a full disk, a disk that flushes nothing, a log that nobody reads, a
//! second program on the same folder or port, a kill in the middle of an upgrade, clients that break off and vanish; and
//! its commands.

#![allow(clippy::unwrap_used, clippy::expect_used)] // a test fails by panicking

mod backup;
#[allow(dead_code)] // only the tests in `world` use all of this module
#[path = "../world/browser.rs"]
mod browser;
mod commands;
mod configuration;
mod descriptors;
mod disk;
mod flushes;
mod folder;
mod healthcheck;
mod leaks;
mod log;
mod place;
mod program;
mod rebuild;
#[allow(dead_code)] // shared with the scenarios and the kills, which use all of it
#[path = "../world/running.rs"]
mod running;
#[allow(dead_code)] // programs log only problems here; the worlds look through their logs
#[path = "../world/secrets.rs"]
mod secrets;
mod telemetry;
mod upgrades;
