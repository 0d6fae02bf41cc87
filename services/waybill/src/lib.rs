//! The program: the only crate that knows all others.
//!
//! `target` is the table of services, `compose` turns a configuration and a target into a running process,
//! `serve` has its sockets, `backup` copies and restores the data, `cli` parses the command line.
//! Deliberately absent: any business rule.

pub mod backup;
pub mod cli;
pub mod compose;
pub mod database;
pub mod doctor;
mod folder;
mod greeting;
mod healthcheck;
mod output;
mod plumbing;
mod rebuild;
pub mod seed;
pub mod serve;
pub mod simulate;
pub mod target;
