//! The tables. No behaviour here; columns that hold a secret have types that do not print it.

pub mod secret;
pub mod session;
pub mod setup;
pub mod signing_key;
pub mod user;
pub mod user_role;
