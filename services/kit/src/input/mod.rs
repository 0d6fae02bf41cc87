//! The rules for what people, devices and files send: one place for each.
//!
//! Start at [`Check`], which collects everything that is wrong with a request and makes the error
//! `INVALID_FIELDS` of it. [`limits`] has the lengths and sizes that the contract, the services, the catalogue
//! of settings and the browser share. Deliberately absent: rules of one service alone, such as what a PIN
//! looks like, and the reading of files, which is up to the upload service.

mod check;
pub mod email;
pub mod limits;
pub mod position;
pub mod text;
pub mod time;

pub use check::{Check, refusal};
