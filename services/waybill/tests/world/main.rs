//! The whole product, in both of its shapes: everything in one process on SQLite, and each
//! service alone on Postgres, JetStream, Redis and S3. One file per journey.

#![allow(clippy::unwrap_used, clippy::expect_used)] // a test fails by panicking

mod access;
mod accounts;
mod administration;
mod announcements;
mod audit;
mod browser;
mod deliveries;
mod driver_api;
mod drivers;
mod graphql_access;
mod harness;
mod imports;
mod ingest;
mod layering;
mod lists;
mod logo;
mod mailbox;
mod operations;
mod planner_settings;
mod resets;
mod settings;
mod sign_ups;
mod throttling;
mod tracing_spans;
mod tracking;
mod transitions;
