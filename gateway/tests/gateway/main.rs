//! The gateway before services that are stand-ins in this process: what a browser sees.
//!
//! Start at `world`. The real services behind the gateway are the matter of the scenarios in
//! `services/waybill/tests`.

#![allow(clippy::unwrap_used, clippy::expect_used)]

mod accounts;
mod actions;
mod auth;
mod bounds;
mod deliveries;
mod driver_api;
mod drivers;
mod export;
mod forms;
mod geocode;
mod graph;
mod headers;
mod ingest;
mod limits;
mod live;
mod loading;
mod objects;
mod pages;
mod positions;
mod reset;
mod schema;
mod session;
mod sign_up;
mod stand_ins;
mod tracking;
mod world;
