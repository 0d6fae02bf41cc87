//! The program: the only crate that knows all others.
//!
//! `compose` turns a configuration and a target into running services, `serve` is what each listens
//! on, `cli` is what a person types. Deliberately absent: any rule of the product.

pub mod cli;
pub mod compose;
mod plumbing;
pub mod seed;
pub mod serve;
pub mod simulate;
