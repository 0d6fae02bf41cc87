//! Who is behind a request: bearer token → session, and the cookie that carries a session's
//! secret.
//!
//! The two never mix: the cookie counts at `/auth` alone, everything else takes the bearer alone.
//! Start at [`identify`].

mod address;
mod bearer;
mod check;
mod person;

pub use address::{address, network};
pub use bearer::{bearer, cookie, dead_cookies, secret};
pub use check::{again, end, forget, identify, identify_token, still};
pub use person::{Identity, Session, SignedIn};
