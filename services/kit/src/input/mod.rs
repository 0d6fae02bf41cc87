//! Validation of what people, devices and files send: one place for each rule.
//!
//! Start at [`Check`], which collects all problems of a request into the error `INVALID_FIELDS`. [`limits`]
//! has the lengths and sizes that the contract, the services, the catalogue of settings and the browser
//! share. Deliberately absent: rules of a single service, such as the format of a PIN, and reading of
//! files, which the upload service does.

mod check;
pub mod email;
pub mod limits;
pub mod position;
pub mod text;
pub mod time;

pub use check::{Check, refusal};
