//! Tests of the whole product in both of its shapes: everything in one process on SQLite, and each service by
//! itself on Postgres, JetStream, Redis and S3. There is one file per journey.

#![allow(clippy::unwrap_used, clippy::expect_used)] // a test fails by panicking

mod access;
mod accounts;
mod actions;
mod administration;
mod analytics;
mod announcements;
mod audit;
mod browser;
mod circles;
mod copies;
mod crowds;
mod dead_letters;
mod deliveries;
mod deploy;
mod driver_api;
mod drivers;
mod encryption;
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
mod repeats;
mod reports_by_mail;
mod resets;
mod rules;
#[allow(dead_code)] // shared with the tests of real processes, which use all of it
mod running;
mod secrets;
mod services;
mod settings;
mod sign_ups;
mod sources;
mod throttling;
mod tracing_spans;
mod tracking;
mod transitions;
mod undo;
mod uploads;
