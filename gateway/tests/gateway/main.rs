//! The gateway with stand-ins for the services in this process: what a browser sees.
//!
//! Start at `world`. The real services behind the gateway are tested by the scenarios in
//! `services/waybill/tests`.

#![allow(clippy::unwrap_used, clippy::expect_used)]

mod accesses;
mod accounts;
mod actions;
mod analytics;
mod announcements;
mod auth;
mod bounds;
mod crowding;
mod current_user;
mod deliveries;
mod driver_api;
mod drivers;
mod export;
mod forms;
mod geocode;
mod graph;
mod guarded;
mod headers;
mod host;
mod ingest;
mod intake;
mod limits;
mod live;
mod loading;
mod logo;
mod objects;
mod pages;
mod parties;
mod positions;
mod report_schedules;
mod report_settings;
mod reset;
mod saved_views;
mod schema;
mod session;
mod settings;
mod sign_up;
mod stand_ins;
mod third_party;
mod time_zone;
mod tracking;
mod world;
