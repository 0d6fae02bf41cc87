//! The tables. No behavior here; columns that hold a secret have types that do not print it.

pub mod audit_entry;
pub mod audit_head;
pub mod report_mail;
pub mod reset_token;
pub mod secret;
pub mod session;
pub mod setup;
pub mod sign_in_address;
pub mod signing_key;
pub mod throttle;
pub mod user;
pub mod user_role;
